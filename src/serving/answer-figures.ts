import { assertNever } from '../kube/text/assert-never.ts';
import { pickFamilies } from './pick-families.ts';
import type { HealthSlis } from './health-slis.ts';
import type { AllowedRequest } from './allowed-request.ts';
import type { NodeView } from './node-view.ts';
import { errorReply, textReply, type Reply } from './reply.ts';

export type FiguresEndpoint =
  'stats-summary' | 'metrics' | 'metrics-resource' | 'metrics-cadvisor' | 'metrics-probes' | 'slis';

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

/** Answers the endpoints for stats and metrics. */
export async function answerFigures(
  endpoint: FiguresEndpoint,
  { method, query }: Pick<AllowedRequest, 'method' | 'query'>,
  { node, slis }: { readonly node: NodeView; readonly slis: HealthSlis },
): Promise<Reply> {
  const metrics = (text: string): Reply => textReply(200, text, PROMETHEUS);
  switch (endpoint) {
    case 'stats-summary': {
      const isShort = query.get('only_cpu_and_memory') === 'true';
      const summary = await node.figures.summary(isShort ? 'cpu-and-memory' : 'everything');
      if (summary === undefined) return errorReply(500, 'Internal Error: the runtime does not say what pods use');
      return textReply(200, summary, 'application/json');
    }
    case 'metrics':
      return metrics(pickFamilies(await node.metrics(), (name) => !isOfProbes(name)));
    case 'metrics-probes':
      return metrics(
        pickFamilies(await node.metrics(), (name) => isOfProbes(name) || name === 'process_start_time_seconds'),
      );
    case 'metrics-resource':
      return metrics(await node.figures.resource());
    case 'metrics-cadvisor':
      return metrics(await node.figures.cadvisor());
    case 'slis':
      if (method === 'DELETE') {
        slis.reset();
        return textReply(200, 'metrics reset\n');
      }
      await slis.sample(node.healthChecks);
      return metrics(slis.text());
    default:
      return assertNever(endpoint, 'endpoint of figures');
  }
}

const isOfProbes = (name: string): boolean => name.startsWith('prober_probe_');
