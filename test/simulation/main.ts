import { parseArgs } from 'node:util';
import { makePlan, type Intensity } from './make-plan.ts';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    pods: { type: 'string', default: '50' },
    hours: { type: 'string', default: '1' },
    faults: { type: 'string', default: 'usual' },
    without: { type: 'string' },
    trace: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});
const [from, to] = values.seeds?.split('..').map(Number) ?? [Number(values.seed), Number(values.seed)];
for (let seed = from!; seed <= to!; seed++) {
  const plan = makePlan({
    seed,
    pods: Number(values.pods),
    hours: Number(values.hours),
    intensity: values.faults as Intensity,
  });
  const t = performance.now();
  const result = await simulate(plan, {
    keepTrace: Number(values.trace),
    ...(values.without ? { without: values.without as never } : {}),
  });
  for (const line of result.trace) console.log(line);
  const { trace, ...rest } = result;
  console.log(JSON.stringify(rest), (performance.now() - t).toFixed(0), 'ms');
}
