const GAP = 3;

/**
 * Returns rows in columns, each as wide as its widest cell. Lines have no trailing blanks. `widths` may request wider
 * columns.
 */
export function formatTable(rows: readonly (readonly string[])[], widths: readonly number[] = []): readonly string[] {
  const wide = columnWidths(rows, widths);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd((wide[column] ?? 0) + GAP))
      .join('')
      .trimEnd(),
  );
}

/** Returns the widths that hold all rows, at least `atLeast`. */
export function columnWidths(rows: readonly (readonly string[])[], atLeast: readonly number[] = []): readonly number[] {
  const columns = Math.max(atLeast.length, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(atLeast[column] ?? 0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
}
