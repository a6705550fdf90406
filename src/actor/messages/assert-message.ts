/** A message of a type that this version does not know can only come from a defect on the sending side. */
export function assertMessage(message: never): never {
  throw new Error(`unknown message: ${JSON.stringify(message)}`);
}
