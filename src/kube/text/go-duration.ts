/** Returns whole seconds as Go prints a `time.Duration`: `1s`, `1m30s`, `1h0m0s`. Alerts match such texts. */
export function goDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60)];
  if (hours > 0) return `${hours}h${minutes % 60}m${seconds % 60}s`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
