import type { LinuxContainerResources } from '../../../cri/gen/api.ts';

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/**
 * Returns the resources after an update. Only non-zero members replace the old ones: CRI has no other way to leave
 * a member unchanged.
 */
export function updatedResources(
  before: LinuxContainerResources | undefined,
  update: LinuxContainerResources | undefined,
): LinuxContainerResources | undefined {
  if (!before || !update) return update ?? before;
  return { ...before, ...Object.fromEntries(Object.entries(update).filter(([, value]) => isSet(value))) };
}
