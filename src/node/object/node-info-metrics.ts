import type { MetricFamilies } from '../../metrics/metric-families.ts';
import { kubeletVersion } from './kubelet-version.ts';

/** Returns constant metrics that describe this node, under the kubelet's names. */
export function nodeInfoMetrics(
  families: MetricFamilies,
  { nodeName, cgroupVersion }: { readonly nodeName: string; readonly cgroupVersion: 1 | 2 },
): void {
  families
    .gauge({ name: 'kubelet_node_name', help: "The node's name. The count is always 1.", labels: ['node'] })
    .set(1, [nodeName]);
  families.gauge({ name: 'kubelet_cgroup_version', help: 'Which cgroups this node has, 1 or 2.' }).set(cgroupVersion);
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(kubeletVersion) ?? [];
  const build: readonly (readonly [label: string, value: string])[] = [
    ['major', major],
    ['minor', minor],
    ['git_version', kubeletVersion],
    ['git_commit', ''],
    ['git_tree_state', ''],
    ['build_date', ''],
    ['go_version', ''],
    ['compiler', `node ${process.version}`],
    ['platform', `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`],
  ];
  families
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Which release of Kubernetes this agent stands in for. The count is always 1.',
      labels: build.map(([label]) => label),
    })
    .set(
      1,
      build.map(([, value]) => value),
    );
}
