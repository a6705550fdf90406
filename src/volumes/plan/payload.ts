/** The content of a volume of files: by path relative to the volume, with slashes between levels. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export interface PayloadFile {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /** The owner; without it, this process's user. */
  readonly uid?: number;
}

const MAX_PATH = 4_096;
const MAX_NAME = 255;

/**
 * Returns why no file may be written at this path; `undefined` when it may. These are the API's rules, checked again
 * before the write.
 */
export function payloadPathProblem(path: string): string | undefined {
  if (path === '') return 'invalid path: must not be empty';
  if (path.startsWith('/')) return `invalid path: must be relative path: ${path}`;
  if (Buffer.byteLength(path) > MAX_PATH) return `invalid path: must be less than or equal to ${MAX_PATH} characters`;
  const names = path.split('/');
  if (names.includes('..')) return `invalid path: must not contain '..': ${path}`;
  if (names.some((name) => name === '' || name === '.' || name.includes('\0'))) return `invalid path: ${path}`;
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME)) {
    return `invalid path: filenames must be less than or equal to ${MAX_NAME} characters`;
  }
  // The writer's own names begin with two dots.
  return names[0]?.startsWith('..') === true ? `invalid path: must not start with '..': ${path}` : undefined;
}

/** Returns the first problem of a whole payload; `undefined` when it has none. */
export function payloadProblem(payload: Payload): string | undefined {
  for (const path of payload.keys()) {
    const problem = payloadPathProblem(path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export const topLevelNames = (payload: Payload): ReadonlySet<string> =>
  new Set([...payload.keys()].map((path) => path.split('/', 1)[0] ?? path));
