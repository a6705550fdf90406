/** Ends every `switch` over a closed union: a member that is not handled breaks the build; one from outside throws. */
export function assertNever(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
