import type { ApiCore, CoreAnswer, CoreCall } from './api-core.ts';
import type { ApiKind } from './api-kind.ts';
import { notImplemented } from './refusal.ts';

export function applyObject(_core: ApiCore, _kind: ApiKind, _call: CoreCall): CoreAnswer {
  throw notImplemented('server-side apply is not there yet');
}
