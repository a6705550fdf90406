/** How a member is sent in protobuf. `-or-none` and `flag`: JSON omits an empty text, 0 or false. */
export type WireType =
  | 'string'
  | 'string-or-none'
  | 'bytes'
  | 'bytes-or-none'
  | 'bool'
  | 'flag'
  | 'int'
  | 'int-or-none'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'int-or-string'
  /** Owned fields of an object: their JSON, as bytes in a message. */
  | 'fields'
  | { readonly message: WireMessage }
  | { readonly list: WireType }
  /** A list as a value stands in a message of its own. */
  | { readonly map: WireType };

/** Members by field number. A nameless member stands for its own members. */
export type WireMessage = Readonly<Record<number, readonly [name: string, type: WireType]>>;

export const message = (of: WireMessage): WireType => ({ message: of });
export const list = (of: WireType): WireType => ({ list: of });
export const map = (of: WireType): WireType => ({ map: of });
