import { MalformedCase } from './malformed-case.ts';

type Members = Readonly<Record<string, unknown>>;
type Kind = 'string' | 'number' | 'boolean' | 'object';

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By action, the type of its value and the types of its other members. */
const ACTIONS: Readonly<Record<string, readonly [Kind, Readonly<Record<string, Kind>>]>> = {
  sleep: ['number', {}],
  wait: ['object', {}],
  create: ['object', {}],
  delete: ['string', { grace: 'number', kind: 'string' }],
  patch: ['string', { body: 'object', type: 'string', subresource: 'string', kind: 'string' }],
  static: ['string', { pod: 'object' }],
  kubelet: ['string', {}],
  cri: ['object', {}],
};

const WAIT: Readonly<Record<string, Kind>> = {
  pod: 'string',
  phase: 'string',
  condition: 'string',
  container: 'string',
  state: 'string',
  ready: 'boolean',
  started: 'boolean',
  restarts: 'number',
  gone: 'boolean',
  deletions: 'number',
  event: 'string',
  n: 'number',
  call: 'string',
  file: 'string',
  content: 'string',
};
const CRI: Readonly<Record<string, Kind>> = { op: 'string', pod: 'string', container: 'string', code: 'number' };
const OPS = ['exit', 'vanish', 'sandbox-die', 'sandbox-vanish'];

/** Checks the parts of a scenario. Throws for the first malformed part. */
export class ScenarioShape {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  wrong(path: string, value: unknown, problem: string): never {
    throw new MalformedCase(this.#file, path, `${JSON.stringify(value)} ${problem}`);
  }

  objectAt(from: Members, member: string, path = member): Members {
    const found = from[member] ?? {};
    return isObject(found) ? found : this.wrong(path, found, 'is not an object');
  }

  listAt(from: Members, member: string, path = member): readonly unknown[] {
    const found = from[member] ?? [];
    return Array.isArray(found) ? (found as readonly unknown[]) : this.wrong(path, found, 'is not a list');
  }

  /** Checks an object that can be created: it needs a kind and a name. */
  apiObject(path: string, value: unknown): void {
    if (!isObject(value)) this.wrong(path, value, 'is not an object');
    if (typeof value['kind'] !== 'string') this.wrong(`${path}.kind`, value['kind'], 'is not a kind');
    const { name } = this.objectAt(value, 'metadata', `${path}.metadata`);
    if (typeof name !== 'string') this.wrong(`${path}.metadata.name`, name, 'is not a name');
  }

  actions(list: readonly unknown[]): void {
    let isUp = true;
    for (const [index, action] of list.entries()) {
      const path = `actions[${index}]`;
      this.#action(path, action);
      const { kubelet } = action as Members;
      if (kubelet === undefined) continue;
      if (kubelet !== (isUp ? 'kill' : 'start'))
        this.wrong(`${path}.kubelet`, kubelet, isUp ? 'is not kill, and it runs' : 'is not start, and it does not run');
      isUp = !isUp;
    }
  }

  #action(path: string, action: unknown): void {
    const name = isObject(action) ? Object.keys(ACTIONS).find((each) => each in action) : undefined;
    const [kind, more] = ACTIONS[name ?? ''] ?? [];
    if (!isObject(action) || name === undefined || kind === undefined || more === undefined)
      return this.wrong(path, action, 'is not known here');
    this.#members(path, action, { ...more, [name]: kind });
    const value = action[name];
    if (name === 'sleep' && typeof value !== 'number')
      this.wrong(`${path}.sleep`, value, 'is not a number of milliseconds');
    if (name === 'create') this.apiObject(`${path}.create`, value);
    if (name === 'patch' && action['body'] === undefined) this.wrong(`${path}.body`, undefined, 'is not an object');
    if (name === 'wait' && isObject(value)) this.#wait(`${path}.wait`, value);
    if (name === 'cri' && isObject(value)) this.#cri(`${path}.cri`, value);
  }

  #wait(path: string, wait: Members): void {
    this.#members(path, wait, WAIT);
    if (typeof wait['pod'] !== 'string' && wait['file'] === undefined)
      this.wrong(`${path}.pod`, wait['pod'], 'is not a name');
    if (Object.keys(wait).every((member) => member === 'pod')) this.wrong(path, wait, 'waits for nothing');
  }

  #cri(path: string, cri: Members): void {
    this.#members(path, cri, CRI);
    const { op, pod, container } = cri;
    if (!OPS.includes(String(op))) this.wrong(`${path}.op`, op, `is not one of ${OPS.join(', ')}`);
    if (typeof pod !== 'string') this.wrong(`${path}.pod`, pod, 'is not a name');
    if ((op === 'exit' || op === 'vanish') && typeof container !== 'string')
      this.wrong(`${path}.container`, container, 'is not a name');
  }

  #members(path: string, object: Members, known: Readonly<Record<string, Kind>>): void {
    for (const [member, value] of Object.entries(object)) {
      const kind = known[member];
      if (kind === undefined) this.wrong(`${path}.${member}`, value, 'is not known here');
      const isRight = kind === 'object' ? isObject(value) : typeof value === kind;
      if (!isRight && !(value === undefined || (kind === 'object' && value === null && member === 'pod')))
        this.wrong(`${path}.${member}`, value, `is not ${kind === 'object' ? 'an object' : `a ${kind}`}`);
    }
  }

  /** Checks the expectations of each pod: the lists that the comparison reads. */
  expected(expected: Members): void {
    const each = (member: string, look: (path: string, item: unknown) => void): void => {
      const lists = this.objectAt(expected, member, `expected.${member}`);
      for (const pod of Object.keys(lists)) {
        const path = `expected.${member}.${pod}`;
        for (const [index, item] of this.listAt(lists, pod, path).entries()) look(`${path}[${index}]`, item);
      }
    };
    each('status', (path, entry) => this.#status(path, entry));
    each('calls', (path, step) => this.#step(path, step));
    each('removed', (path, call) => typeof call === 'string' || this.wrong(path, call, 'is not a call'));
    each('events', (path, event) => {
      for (const member of ['type', 'reason', 'message'])
        if (!isObject(event) || typeof event[member] !== 'string') this.wrong(path, event, `has no ${member}`);
    });
    each('probes', (path, entry) => {
      const { probe, first } = isObject(entry) ? entry : {};
      if (typeof probe !== 'string') this.wrong(path, entry, 'is not a probe');
      if (first !== undefined && !isSpan(first))
        this.wrong(`${path}.first`, first, 'is not from one number to another');
    });
    const timing = this.objectAt(expected, 'timing', 'expected.timing');
    for (const member of ['startToStart', 'pullToPull', 'deleteToGone']) {
      const path = `expected.timing.${member}`;
      for (const [key, found] of Object.entries(this.objectAt(timing, member, path))) {
        const spans: unknown = member === 'deleteToGone' ? [found] : found;
        const isRight = Array.isArray(spans) && spans.every(isSpan);
        if (!isRight) this.wrong(`${path}.${key}`, found, 'is not from one number of seconds to another');
      }
    }
  }

  #status(path: string, entry: unknown): void {
    if (!isObject(entry)) return this.wrong(path, entry, 'is not an object');
    for (const member of ['conditions', 'init', 'containers', 'ephemeral']) {
      for (const [name, part] of Object.entries(this.objectAt(entry, member, `${path}.${member}`))) {
        const isRight = member === 'conditions' ? typeof part === 'string' : isObject(part);
        if (!isRight) this.wrong(`${path}.${member}.${name}`, part, 'is not as statuses are recorded');
      }
    }
    if (entry['t'] !== undefined && !isSpan(entry['t']))
      this.wrong(`${path}.t`, entry['t'], 'is not from one number to another');
  }

  #step(path: string, step: unknown): void {
    if (isCall(step)) return;
    const lanes = isObject(step) ? step['parallel'] : undefined;
    const isLane = (lane: unknown): boolean => Array.isArray(lane) && lane.every(isCall);
    if (!Array.isArray(lanes) || !lanes.every(isLane)) this.wrong(path, step, 'is neither a call nor lanes of calls');
  }
}

const isCall = (value: unknown): boolean =>
  typeof value === 'string' || (isObject(value) && typeof value['call'] === 'string');

const isSpan = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number');
