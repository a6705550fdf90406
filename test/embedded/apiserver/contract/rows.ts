import type { Asked } from '../../../support/real-api/asker.ts';

/** The expected response of an API server: the code, the reason of an error, and the causes, field by field. */
export interface Says {
  readonly code: number;
  readonly reason: string | undefined;
  /** `<reason> <field>`. Further causes are allowed: newer servers report more. */
  readonly causes: readonly string[];
}

/** The requests of a table are sent in order: each finds the objects that the earlier requests left. */
export type Row = readonly [what: string, asked: Asked, says: Says];

export const says = (code: number, reason?: string, ...causes: readonly string[]): Says => ({ code, reason, causes });

export const PODS = '/api/v1/namespaces/default/pods';
export const NODES = '/api/v1/nodes';

export const STRATEGIC = 'application/strategic-merge-patch+json';
export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';

export const pod = (name: string, metadata: object = {}, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
});

export const node = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  ...more,
});
