import { isDeepStrictEqual } from 'node:util';
import { own, put } from '../../../kube/text/own.ts';
import { isMembers } from '../store/api-object.ts';
import { badRequest, Refusal } from '../store/refusal.ts';

/** Limits of other API servers for one patch: the number of operations, and the characters of copied values. */
const MAX_OPERATIONS = 10_000;
const MAX_COPIED = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902). The target is not changed. Only own members are found, and `__proto__` is a
 * member like any other. Throws a `Refusal` for a malformed operation, or a path that does not exist.
 */
export function jsonPatch(target: object, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch must be a list of operations');
  if (operations.length > MAX_OPERATIONS)
    throw tooLarge(`the patch has ${operations.length} operations, more than ${MAX_OPERATIONS}`);
  const patched = { root: structuredClone<unknown>(target), copied: 0 };
  for (const operation of operations) apply(patched, operation);
  return patched.root;
}

/** The patched copy of the target. Nothing else refers to its parts, so they are changed in place. */
interface Patched {
  root: unknown;
  /** Characters of the values copied so far: each copy may double the object. */
  copied: number;
}

function apply(patched: Patched, operation: unknown): void {
  if (!isMembers(operation)) throw unfit(`${JSON.stringify(operation)} is not an operation`);
  const path = pointer(operation, 'path');
  switch (operation['op']) {
    case 'add':
      return add(patched, path, valueOf(operation));
    case 'remove':
      return remove(patched, path);
    case 'replace':
      return replace(patched, path, valueOf(operation));
    case 'copy':
      return add(patched, path, copyOf(patched, pointer(operation, 'from')));
    case 'move':
      return move(patched, pointer(operation, 'from'), path);
    case 'test':
      if (isDeepStrictEqual(find(patched.root, path), valueOf(operation))) return;
      throw unfit(`testing value ${written(path)} failed`);
    default:
      throw unfit(`op ${JSON.stringify(operation['op'])} must be add, remove, replace, copy, move or test`);
  }
}

function add(patched: Patched, path: Pointer, value: unknown): void {
  const { container, step } = placeOf(patched, path);
  if (container === undefined) patched.root = value;
  else if (Array.isArray(container)) container.splice(indexIn(container, step) ?? raise(absent(path)), 0, value);
  else put(container, step, value);
}

function remove(patched: Patched, path: Pointer): void {
  find(patched.root, path);
  const { container, step } = placeOf(patched, path);
  if (container === undefined) patched.root = null;
  else if (Array.isArray(container)) container.splice(Number(step), 1);
  else delete container[step];
}

function replace(patched: Patched, path: Pointer, value: unknown): void {
  find(patched.root, path);
  const { container, step } = placeOf(patched, path);
  if (container === undefined) patched.root = value;
  else if (Array.isArray(container)) container[Number(step)] = value;
  else put(container, step, value);
}

function move(patched: Patched, from: Pointer, path: Pointer): void {
  const moved = find(patched.root, from);
  if (from.length < path.length && from.every((step, at) => step === path[at]))
    throw unfit(`${written(from)} cannot be moved into itself`);
  remove(patched, from);
  add(patched, path, moved);
}

function copyOf(patched: Patched, from: Pointer): unknown {
  const value = find(patched.root, from);
  patched.copied += JSON.stringify(value).length;
  if (patched.copied > MAX_COPIED) throw tooLarge(`the patch copies more than ${MAX_COPIED} characters`);
  return structuredClone(value);
}

// ---- paths -------------------------------------------------------------------------------------------------------------

type Pointer = readonly string[];

/** A JSON pointer (RFC 6901): a slash before each step; within a step, `~1` is a slash and `~0` a tilde. */
function pointer(operation: Readonly<Record<string, unknown>>, member: 'path' | 'from'): Pointer {
  const text = operation[member];
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')))
    throw unfit(`${member} ${JSON.stringify(text)} is not a JSON pointer`);
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const written = (path: Pointer): string =>
  path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** `undefined` when the step is not a place in the list. `-` is the place after the last. */
function indexIn(list: readonly unknown[], step: string): number | undefined {
  const index = step === '-' ? list.length : /^(?:0|[1-9][0-9]{0,8})$/.test(step) ? Number(step) : list.length + 1;
  return index <= list.length ? index : undefined;
}

function memberAt(value: unknown, step: string): unknown {
  // An `undefined` index finds nothing.
  if (Array.isArray(value)) return value[indexIn(value, step) ?? value.length] as unknown;
  return isMembers(value) ? own(value, step) : undefined;
}

function find(root: unknown, path: Pointer): unknown {
  const value = path.reduce(memberAt, root);
  return value === undefined ? raise(absent(path)) : value;
}

/** Returns the list or mapping that contains the path's last step. `undefined` when the path is the root. */
function placeOf(
  { root }: Patched,
  path: Pointer,
): { readonly container: unknown[] | Record<string, unknown> | undefined; readonly step: string } {
  const step = path.at(-1);
  if (step === undefined) return { container: undefined, step: '' };
  const container = path.slice(0, -1).reduce(memberAt, root);
  // Both belong to the patched object alone.
  if (Array.isArray(container)) return { container: container as unknown[], step };
  return isMembers(container) ? { container, step } : raise(absent(path));
}

// ---- refusals ----------------------------------------------------------------------------------------------------------

function valueOf(operation: Readonly<Record<string, unknown>>): unknown {
  const value = operation['value'];
  if (value === undefined) throw unfit(`op ${JSON.stringify(operation['op'])} needs a value`);
  return structuredClone(value);
}

/** The error of a patch is reported without the object. */
const unfit = (why: string): Refusal =>
  new Refusal({
    code: 422,
    reason: 'Invalid',
    message: `the server rejected our request due to an error in our request: ${why}`,
    details: {},
  });

const absent = (path: Pointer): Refusal => unfit(`the path ${JSON.stringify(written(path))} does not exist`);

const tooLarge = (message: string): Refusal =>
  new Refusal({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: ${message}`,
    details: {},
  });

function raise(refusal: Refusal): never {
  throw refusal;
}
