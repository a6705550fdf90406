import type { Schema } from './schema.ts';

/** The description of one operation. Clients read from it whether the operation supports a dry run. */
export interface OperationV2 {
  readonly parameters: readonly { readonly name: string; readonly in: 'query'; readonly type: 'string' }[];
  readonly responses: object;
  readonly 'x-kubernetes-group-version-kind': object;
}

export interface DocumentV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, { readonly patch: OperationV2 }>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}
