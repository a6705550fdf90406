/**
 * Sends a notice to the process that started this one with a channel, if any. A parent that is gone is no error: its
 * channel may close between two lines of code.
 */
export function tellParent(notice: object): void {
  // With a callback, a closed channel is reported to the callback. Without one, `send` throws.
  process.send?.(notice, () => {});
}
