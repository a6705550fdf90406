/**
 * Ends every `switch` over a closed union. An unhandled member breaks the build; an unknown value from outside throws.
 */
export function assertNever(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
