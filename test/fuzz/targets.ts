import { apiPods } from './targets/api-pods.ts';
import { configuration } from './targets/configuration.ts';
import { criAnswers } from './targets/cri-answers.ts';
import { csiAnswers } from './targets/csi-answers.ts';
import { faultPlans } from './targets/fault-plans.ts';
import { httpRequests } from './targets/http-requests.ts';
import { kubeconfigs } from './targets/kubeconfigs.ts';
import { manifests } from './targets/manifests.ts';
import { pullSecrets } from './targets/pull-secrets.ts';
import type { Target } from './target.ts';

const all: readonly Target[] = [
  manifests,
  apiPods,
  pullSecrets,
  criAnswers,
  csiAnswers,
  httpRequests,
  kubeconfigs,
  configuration,
  faultPlans,
];

export const targetNames: readonly string[] = all.map(({ name }) => name);

export function targetNamed(name: string): Target {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no target ${name}`);
  return found;
}
