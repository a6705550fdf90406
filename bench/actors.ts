/**
 * What do the actor runtime's messages, questions, lives and timers cost, beside bare `postMessage`, comlink and piscina?
 *
 *     npm run -s bench -- actors [--json] [--rounds 5]
 */
import { parseArgs } from 'node:util';
import { measureCompared } from './actors/compared.ts';
import { asTable, meets, type Figure } from './actors/figure.ts';
import { measureActorRestart, measureIdle, measureThreadRestart, measureTimers } from './actors/measure-lives.ts';
import { measureMessages } from './actors/measure-messages.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const QUESTIONS = 2 ** 12;

const figures: readonly Figure[] = [
  ...(await measureMessages(rounds, QUESTIONS)),
  ...(await measureCompared({ rounds, messages: 2 ** 17, questions: QUESTIONS })),
  ...(await measureIdle(10_000)),
  ...(await measureIdle(100_000)),
  ...(await measureActorRestart(300)),
  ...(await measureThreadRestart(40)),
  ...measureTimers(100_000),
];
const judged = figures.map((figure) => ({ ...figure, meets: meets(figure) }));
process.stdout.write(
  values.json === true ? `${JSON.stringify({ bench: 'actors', figures: judged })}\n` : asTable(figures),
);
