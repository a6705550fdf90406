/**
 * For a connection that stays open after the other side ends its direction. (Node accepts it for TLS too; its types
 * do not say so.)
 */
export const halfOpen = { allowHalfOpen: true };
