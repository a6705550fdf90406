/**
 * The wire form of requests that `kubectl` sends as protobuf only: members by field number, as in each kind's
 * published `generated.proto`. Requests only: answers are always JSON.
 */
export type WireType =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int'
  /** 0 stands for absent. */
  | 'int-or-none'
  /** `false` stands for absent. */
  | 'flag'
  | 'quantity'
  | 'time'
  | 'int-or-string'
  | { readonly message: WireMessage }
  | { readonly list: WireType }
  | { readonly map: WireType };

/** A nameless member stands for its own members. */
export type WireMessage = Readonly<Record<number, readonly [name: string, type: WireType]>>;

export const message = (of: WireMessage): WireType => ({ message: of });
export const list = (of: WireType): WireType => ({ list: of });
export const map = (of: WireType): WireType => ({ map: of });
export const texts = list('string');

export const metadata = message({
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['generation', 'int'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int'],
  11: ['labels', map('string')],
  12: ['annotations', map('string')],
  14: ['finalizers', texts],
});

export const labelSelector = message({
  1: ['matchLabels', map('string')],
  2: ['matchExpressions', list(message({ 1: ['key', 'string'], 2: ['operator', 'string'], 3: ['values', texts] }))],
});
