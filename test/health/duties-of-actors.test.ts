import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ACTORS = join(import.meta.dirname, '../../actors');

/** The actors without a duty of their own, and who hears of their failures instead. */
const heardOtherwise: Readonly<Record<string, string>> = {
  'health-monitor': '/healthz/duties fails when the monitor does not answer',
  'image-manager': 'an image that cannot be pulled is an event and a waiting reason of its pod',
  'job-pool': 'a job that hangs or is lost is the trouble of the actor that asked for it',
  'node-addresses': 'a log line while the host has no address; pods keep the addresses that they were given',
  'oom-watcher': 'a log line at the start; afterwards reading the kernel log cannot fail',
  'pod-manager': 'a source that fails is the trouble of that source; a checkpoint that fails is logged by name',
  'pod-worker': 'events, waiting reasons and conditions of its pod',
  'probe-manager': 'events and conditions of the pod; a runtime that hangs is the trouble of the CRI gateway',
  'process-control': 'the caller gets the error',
};

const sourceOf = (actor: string): string =>
  readdirSync(join(ACTORS, actor), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ACTORS, actor, file), 'utf8'))
    .join('\n');

const actors = readdirSync(ACTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('every actor', () => {
  it.each(actors)('%s: has a duty, or is named with who hears of its failures', (actor) => {
    const hasDuty = actor !== 'health-monitor' && sourceOf(actor).includes('dutyOf(');
    expect({ actor, hasDuty, otherwise: Object.hasOwn(heardOtherwise, actor) }).toEqual({
      actor,
      hasDuty,
      otherwise: !hasDuty,
    });
  });

  it.each(actors.filter((actor) => sourceOf(actor).includes('dutyOf(')))(
    '%s: names each duty so that its log line is a sentence',
    (actor) => {
      for (const [, work = ''] of sourceOf(actor).matchAll(/^\s+work:\s*(?:'|")([^'"]+)/gm))
        expect(work).toMatch(/^[a-z]+ /);
    },
  );
});
