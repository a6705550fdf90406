/** Something the person at the command line can mend. The message is all they are shown, and the exit code is 1. */
export class UserError extends Error {}

/** What a caught error says, for the end of a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
