import type { Keyed } from '../../kube/text/own.ts';
export interface ObjectRef {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

/** A ConfigMap or Secret as the API has it: a Secret's `data` and a ConfigMap's `binaryData` in base64. */
export interface ObjectData {
  readonly data?: Keyed<string>;
  readonly binaryData?: Keyed<string>;
}

export const objectKey = ({ kind, namespace, name }: ObjectRef): string => `${kind}/${namespace}/${name}`;

/** Names a missing object in messages, in the kubelet's words. */
export const objectNotFound = ({ kind, name }: ObjectRef): string => `${kind.toLowerCase()} "${name}" not found`;
