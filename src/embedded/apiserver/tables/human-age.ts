/** A duration as `kubectl` shows it: two units at most, and fewer the longer it is. */
export function humanAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return joined(minutes, 'm', [seconds % 60, 's']);
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return joined(hours, 'h', [minutes % 60, 'm']);
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return joined(days, 'd', [hours % 24, 'h']);
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? joined(years, 'y', [days % 365, 'd']) : `${years}y`;
}

const joined = (much: number, unit: string, [rest, smaller]: readonly [number, string]): string =>
  rest === 0 ? `${much}${unit}` : `${much}${unit}${rest}${smaller}`;

/** The time since an instant of the API. */
export function ageOf(instant: unknown, now: number): string {
  const at = typeof instant === 'string' ? Date.parse(instant) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanAge(now - at);
}
