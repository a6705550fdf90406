import type { Pod } from '../../src/kube/pod.ts';
import type { CaseObject } from './cri-case.ts';

/** The script of the recordings' fake runtime, derived from the image names of a pod. */
export function scriptFor(pod: Pod): object {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [] } = pod.spec;
  return scriptOf(pod.metadata.name, [...initContainers, ...containers, ...ephemeralContainers], imagesOf(volumes));
}

const imagesOf = (volumes: readonly object[]): readonly string[] =>
  volumes.flatMap((volume) => {
    const { image } = volume as { readonly image?: { readonly reference?: string } };
    return image?.reference === undefined ? [] : [image.reference];
  });

function scriptOf(
  podName: string,
  containers: readonly { readonly name: string; readonly image?: string }[],
  volumeImages: readonly string[],
): object {
  const images = [...volumeImages, ...containers.flatMap(({ image }) => image ?? [])];
  return {
    images: Object.fromEntries(images.flatMap(pullsOf)),
    imageUsers: Object.fromEntries(images.flatMap(userOf)),
    pods: { [podName]: { containers: Object.fromEntries(containers.map((each) => [each.name, containerOf(each)])) } },
  };
}

/** An image is absent, and its pull succeeds, unless its name says otherwise. */
function pullsOf(image: string): readonly (readonly [string, unknown])[] {
  const name = withDefaultTag(image);
  if (image.includes('/ready/')) return [];
  if (image.includes('/missing/')) return [[name, { do: `err:no such image: ${image}`, code: 'NotFound' }]];
  if (image.includes('/offline/')) return [[name, 'err:RegistryUnavailable: connection refused']];
  return [[name, 'ok@20ms']];
}

function userOf(image: string): readonly (readonly [string, string])[] {
  const uid = /-uid(?<id>\d+)/.exec(image)?.groups?.['id'];
  const name = withDefaultTag(image);
  if (uid !== undefined) return [[name, uid]];
  return image.includes('-username') ? [[name, 'appuser']] : [];
}

/** The name by which a runtime knows an image: one with neither tag nor digest is the latest. */
const withDefaultTag = (image: string): string =>
  image.includes('@') || image.slice(image.lastIndexOf('/') + 1).includes(':') ? image : `${image}:latest`;

function containerOf({ name, image = '' }: { readonly name: string; readonly image?: string }): object {
  const code = /-exit(?<code>\d+)/.exec(image)?.groups?.['code'];
  return {
    // The container exits with 0 at once when it is stopped, without a reason.
    stop: { do: '0@5ms', reason: '' },
    ...(code !== undefined && { run: `${code}@50ms` }),
    ...(image.includes('-nocreate') && { create: `err:cannot create container ${name}` }),
    ...(image.includes('-nostart') && { start: { do: `err:cannot start container ${name}`, leaves: 'created' } }),
  };
}

/** Containers that are added later. */
export const ephemeralOf = (objects: readonly CaseObject[]): Pod['spec']['ephemeralContainers'] =>
  objects.find(({ kind }) => kind === 'EphemeralContainers')?.['ephemeralContainers'] as
    Pod['spec']['ephemeralContainers'] | undefined;
