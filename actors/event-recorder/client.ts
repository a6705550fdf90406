import type { ActorContext } from '../../src/actor/actor.ts';
import { apiUse, type AgentSettings } from '../../src/agent/settings.ts';
import type { RecordEvent } from '../../src/kube/event.ts';
import { EVENT_RECORDER } from './protocol.ts';

/** Sends the events of one incarnation of an actor to the recorder, which writes them to the API. */
export function eventRecorderClient(context: Pick<ActorContext, 'ref' | 'clock'>): RecordEvent {
  const recorder = context.ref(EVENT_RECORDER);
  return (event) => recorder.tell({ type: 'record-event', event, at: context.clock.now() });
}

/** Without an API the events go only to the log, at level debug. */
export function eventsToLog({ log }: Pick<ActorContext, 'log'>): RecordEvent {
  return ({ object, reason, message }) => log.debug({ [object.kind.toLowerCase()]: nameOf(object), reason }, message);
}

const nameOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The destination of an actor's events: the API in a cluster, otherwise the log. */
export const eventsOf = (
  context: Pick<ActorContext, 'ref' | 'clock' | 'log'>,
  settings: Pick<AgentSettings, 'api' | 'objectsDir'>,
): RecordEvent => (apiUse(settings) === 'api' ? eventRecorderClient(context) : eventsToLog(context));
