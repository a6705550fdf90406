const PAGE_SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/**
 * Returns the kernel's file name part for a page size, such as `2MB`: powers of 1024 with the letters of powers of
 * 1000.
 */
export function pageSizeName(bytes: bigint): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024n && amount % 1024n === 0n && unit < PAGE_SIZE_UNITS.length - 1) {
    amount /= 1024n;
    unit += 1;
  }
  return `${amount}${PAGE_SIZE_UNITS[unit] ?? 'B'}`;
}
