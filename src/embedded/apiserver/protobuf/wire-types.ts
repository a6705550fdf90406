/** The wire form of requests that `kubectl` sends as protobuf only. Requests only: answers are always JSON. */
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

/** Members by field number. A nameless member stands for its own members. */
export type WireMessage = Readonly<Record<number, readonly [name: string, type: WireType]>>;

export const message = (of: WireMessage): WireType => ({ message: of });
export const list = (of: WireType): WireType => ({ list: of });
export const map = (of: WireType): WireType => ({ map: of });
