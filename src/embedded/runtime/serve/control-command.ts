import { own } from '../../../kube/text/own.ts';
import type { RuntimeCore } from '../runtime-core.ts';
import { RuntimeError } from '../runtime-error.ts';
import { parseScript } from '../script/script.ts';

type Members = Readonly<Record<string, unknown>>;

const invalid = (text: string): RuntimeError => new RuntimeError('InvalidArgument', text);

function textAt(command: Members, member: string): string {
  const value = own(command, member);
  if (typeof value !== 'string' || value === '') throw invalid(`"${member}" must be a name`);
  return value;
}

const podAt = (command: Members): { pod: string; namespace?: string; uid?: string } => ({
  pod: textAt(command, 'pod'),
  ...(command['namespace'] !== undefined && { namespace: textAt(command, 'namespace') }),
  ...(command['uid'] !== undefined && { uid: textAt(command, 'uid') }),
});

function codeAt(command: Members): number {
  const code = command['code'] ?? 0;
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 0 || code > 255) {
    throw invalid('"code" must be an exit code from 0 to 255');
  }
  return code;
}

/**
 * Carries out a control command from outside: `{op, pod, namespace?, uid?, container?, code?}` with op `exit`,
 * `vanish`, `sandbox-die` or `sandbox-vanish`, or `{op: "script", script}`, which extends the script. Throws if the
 * command is malformed or its object does not exist.
 */
export function obey(core: RuntimeCore, command: unknown): void {
  if (typeof command !== 'object' || command === null) throw invalid('a command is an object with "op"');
  // Members of any object are unknown, and each is checked where it is read.
  const given = command as Members;
  switch (given['op']) {
    case 'exit':
      return core.control.exit({ ...podAt(given), container: textAt(given, 'container') }, codeAt(given));
    case 'vanish':
      return core.control.vanish({ ...podAt(given), container: textAt(given, 'container') });
    case 'sandbox-die':
      return core.control.sandboxDie(podAt(given));
    case 'sandbox-vanish':
      return core.control.sandboxVanish(podAt(given));
    case 'script':
      return core.addScript(parseScript(given['script']));
    default:
      throw invalid(`unknown op ${JSON.stringify(given['op'])} (exit, vanish, sandbox-die, sandbox-vanish, script)`);
  }
}
