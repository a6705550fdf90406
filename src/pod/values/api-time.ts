/** Formats an instant as the API does: RFC 3339, UTC, whole seconds (cut, not rounded). */
export const apiTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
