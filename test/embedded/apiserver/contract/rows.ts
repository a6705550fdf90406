import type { Asked } from '../../../support/real-api/asker.ts';

/** What an API server says to a request: its code, its reason where it refuses, and what it finds wrong, field by field. */
export interface Says {
  readonly code: number;
  readonly reason: string | undefined;
  /** `<reason> <field>`; others may be found too: newer servers find more. */
  readonly causes: readonly string[];
}

/** The rows of a table are asked in their order: each finds what those before it have left. */
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
