/** Something the person at the command line can mend. The message is all they are shown, and the exit code is 1. */
export class UserError extends Error {}
