/** A frame of a kind that this version does not know can only come from a defect on the sending side. */
export function assertFrame(frame: never): never {
  throw new Error(`unknown frame: ${JSON.stringify(frame)}`);
}
