/** The message of anything that was thrown, for the end of a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
