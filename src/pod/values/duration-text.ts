/** Formats a duration of whole milliseconds as Go does: `1m20s`, `5m0s`, `350ms`, `1.5s`. */
export function durationText(ms: number): string {
  const whole = Math.round(ms);
  if (whole === 0) return '0s';
  if (whole < 1000) return `${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor(whole / 60_000) % 60;
  const seconds = (whole % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
