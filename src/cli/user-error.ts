/** A problem that the user at the command line can mend. Only the message is shown, and the exit code is 1. */
export class UserError extends Error {}
