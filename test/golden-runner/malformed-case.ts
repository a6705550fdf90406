/** A case that cannot be played: which file, which place in it, and what stands there. */
export class MalformedCase extends Error {
  constructor(file: string, field: string, problem: string) {
    super(`${file}: ${field}: ${problem}`);
    this.name = 'MalformedCase';
  }
}
