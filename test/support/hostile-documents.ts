/** YAML that a reader without bounds parses for a minute or more, or that stands for billions of values. */
export const HOSTILE_DOCUMENTS: readonly { readonly what: string; readonly text: string; readonly says: RegExp }[] = [
  { what: 'hundreds of keys of keys', text: '? '.repeat(600), says: /nested too deeply/ },
  { what: 'thousands of keys of keys', text: '? '.repeat(4_000), says: /nested too deeply/ },
  { what: 'a key of keys on each line', text: keysOfKeys(), says: /a key of a mapping is a list or a mapping/ },
  { what: 'thousands of lists of lists', text: '- '.repeat(4_000), says: /nested too deeply/ },
  { what: 'thousands of brackets', text: '['.repeat(5_000), says: /nested too deeply/ },
  { what: 'a hundred thousand keys', text: '? k\n'.repeat(100_001), says: /more than 100000 lines and commas/ },
  { what: 'aliases of aliases', text: aliasesOfAliases(), says: /alias|values/ },
];

function keysOfKeys(): string {
  const line = (indent: number): string => `${' '.repeat(indent)}${'? '.repeat(90)}`;
  return [0, 180, 360, 540, 720, 900].map(line).join('\n');
}

/** Ten times as many values on each line as on the line before. */
function aliasesOfAliases(): string {
  const lines = ['l0: &l0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
  for (let level = 1; level < 10; level += 1) {
    const before = Array.from({ length: 10 }, () => `*l${level - 1}`);
    lines.push(`l${level}: &l${level} [${before.join(', ')}]`);
  }
  return lines.join('\n');
}
