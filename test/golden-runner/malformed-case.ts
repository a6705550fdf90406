/** A case that cannot be played: the file, the place in the file, and the problem there. */
export class MalformedCase extends Error {
  constructor(file: string, field: string, problem: string) {
    super(`${file}: ${field}: ${problem}`);
    this.name = 'MalformedCase';
  }
}
