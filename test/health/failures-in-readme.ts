/**
 * The failures that an actor's README lists: each bullet below **Fails**, what stands beside the word itself, and each
 * further sentence that names a case before a colon.
 */
export function failuresIn(readme: string): readonly string[] {
  const [, below = ''] = readme.split('\n- **Fails**');
  const section = below.split('\n- **')[0] ?? '';
  const bullets = section.split('\n  - ').map((text) => text.replaceAll(/\s*\n\s+/g, ' ').trim());
  return bullets.filter((text) => text !== '').flatMap(casesOf);
}

function casesOf(bullet: string): readonly string[] {
  const [first = '', ...others] = bullet.split(/(?<=\.) (?=[A-Z])/);
  return [first, ...others.filter((sentence) => sentence.includes(': '))];
}
