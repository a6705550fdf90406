import type { ActorContext } from '../../src/actor/actor.ts';
import { apiUse, type AgentSettings } from '../../src/agent/settings.ts';
import type { RecordEvent } from '../../src/kube/event.ts';
import { EVENT_RECORDER } from './protocol.ts';

/** Events of one incarnation of an actor, on their way to the API through the recorder. */
export function eventsThroughRecorder(context: Pick<ActorContext, 'ref' | 'clock'>): RecordEvent {
  const recorder = context.ref(EVENT_RECORDER);
  return (event) => recorder.tell({ type: 'record-event', event, at: context.clock.now() });
}

/** Without an API there is nobody to tell: only the log has them, for those who look closely. */
export function eventsToLog({ log }: Pick<ActorContext, 'log'>): RecordEvent {
  return ({ object, reason, message }) => log.debug({ [object.kind.toLowerCase()]: nameOf(object), reason }, message);
}

const nameOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Where the events of an actor go: to the API in a cluster, and else to the log. */
export const eventsOf = (
  context: Pick<ActorContext, 'ref' | 'clock' | 'log'>,
  settings: Pick<AgentSettings, 'api' | 'objectsDir'>,
): RecordEvent => (apiUse(settings) === 'api' ? eventsThroughRecorder(context) : eventsToLog(context));
