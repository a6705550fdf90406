import { own } from '../../src/kube/text/own.ts';
import { isAlreadyExists, isConflict, isNotFound, type ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { MirrorStep } from './protocol.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

interface Mirror {
  /** Static pods with this name on the node; the latest has the mirror. */
  readonly pods: Map<PodUid, Pod>;
  readonly objects: Map<string, Pod>;
  /** UIDs of objects that are replaced, whatever they are mirrors of. */
  readonly outdated: Set<string>;
  step: MirrorStep | undefined;
  /** Config hash and images of the pod whose mirror this agent created; until the watch delivers the mirror. */
  made: string | undefined;
  failures: number;
  /** A step failed; the next step waits for the back-off. */
  held: boolean;
}

const DELAY = { initialMs: 1_000, maxMs: 10_000 };

/** Wanted and existing mirror pods of the API. Mutated in place: names do not affect each other. */
export class MirrorSteps {
  readonly #mirrors = new Map<string, Mirror>();
  #allMirrorsSeen = false;

  podPresent(pod: Pod): MirrorStep | undefined {
    const mirror = this.#mirror(podFullName(pod));
    // The latest pod moves to the end, which has the mirror.
    mirror.pods.delete(uidOf(pod));
    mirror.pods.set(uidOf(pod), pod);
    return this.next(podFullName(pod));
  }

  podGone(fullName: string, uid: PodUid): MirrorStep | undefined {
    this.#mirrors.get(fullName)?.pods.delete(uid);
    return this.next(fullName);
  }

  objectSeen(object: Pod, outdated?: true): MirrorStep | undefined {
    const fullName = podFullName(object);
    const mirror = this.#mirror(fullName);
    mirror.objects.set(object.metadata.uid, object);
    if (outdated === true) mirror.outdated.add(object.metadata.uid);
    mirror.made = undefined;
    return this.next(fullName);
  }

  objectGone(fullName: string, uid: string): MirrorStep | undefined {
    const mirror = this.#mirrors.get(fullName);
    mirror?.objects.delete(uid);
    mirror?.outdated.delete(uid);
    if (mirror !== undefined) mirror.made = undefined;
    return this.next(fullName);
  }

  /** Computes the first step for every name; later steps follow from changes. */
  allMirrorsSeen(): readonly MirrorStep[] {
    this.#allMirrorsSeen = true;
    return [...this.#mirrors.keys()].flatMap((fullName) => this.next(fullName) ?? []);
  }

  /** The next call for a name, if one is due and none is under way. */
  next(fullName: string): MirrorStep | undefined {
    const mirror = this.#mirrors.get(fullName);
    // Before all pods have been received, missing and superfluous mirror pods cannot be known.
    if (mirror === undefined || !this.#allMirrorsSeen || mirror.step !== undefined || mirror.held) return undefined;
    mirror.step = wantedStep(fullName, mirror);
    if (mirror.step === undefined && mirror.pods.size === 0 && mirror.objects.size === 0) {
      this.#mirrors.delete(fullName);
    }
    return mirror.step;
  }

  /** Returns what follows a step: the next step, or the wait before a retry. */
  ended(
    step: MirrorStep,
    outcome: ApiOutcome<unknown>,
  ): { readonly retryInMs: number } | { readonly next: MirrorStep | undefined } {
    const mirror = this.#mirrors.get(step.fullName);
    if (mirror === undefined) return { next: undefined };
    mirror.step = undefined;
    if (!outcome.ok && !isNothingToDo(step, outcome)) {
      mirror.failures += 1;
      mirror.held = true;
      return { retryInMs: backOffMs(mirror.failures, DELAY) };
    }
    mirror.failures = 0;
    // The watch delivers the result; until then the step must not be repeated.
    if (step.type === 'delete') mirror.objects.delete(step.uid);
    else mirror.made = madeFrom(step.pod);
    return { next: this.next(step.fullName) };
  }

  /** `true` while there is a static pod, a mirror pod, or a call for the name. */
  knows(fullName: string): boolean {
    return this.#mirrors.has(fullName);
  }

  tryAgain(fullName: string): MirrorStep | undefined {
    const mirror = this.#mirrors.get(fullName);
    if (mirror !== undefined) mirror.held = false;
    return this.next(fullName);
  }

  #mirror(fullName: string): Mirror {
    const known = this.#mirrors.get(fullName);
    if (known !== undefined) return known;
    const mirror: Mirror = {
      pods: new Map(),
      objects: new Map(),
      outdated: new Set(),
      step: undefined,
      made: undefined,
      failures: 0,
      held: false,
    };
    this.#mirrors.set(fullName, mirror);
    return mirror;
  }
}

/**
 * Deletes every object that is no mirror of the present pod, then creates a missing mirror. A name has one object at a
 * time.
 */
function wantedStep(fullName: string, { pods, objects, outdated, made }: Mirror): MirrorStep | undefined {
  const pod = [...pods.values()].at(-1);
  for (const object of objects.values()) {
    if (pod !== undefined && isMirrorOf(object, pod) && !outdated.has(object.metadata.uid)) continue;
    const { namespace, name, uid } = object.metadata;
    return { type: 'delete', fullName, namespace, name, uid };
  }
  if (pod === undefined || objects.size > 0 || made === madeFrom(pod)) return undefined;
  return { type: 'create', fullName, pod };
}

/**
 * A mirror under deletion counts as none: it would take its static pod's status along. A pod whose manifest sets the
 * UID keeps its config hash when changed; then the images, whose change restarts containers, show that the mirror is
 * outdated.
 */
const isMirrorOf = (object: Pod, pod: Pod): boolean =>
  object.metadata.deletionTimestamp === undefined &&
  object.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] === hashOf(pod) &&
  imagesOf(object) === imagesOf(pod);

const madeFrom = (pod: Pod): string => `${hashOf(pod) ?? ''} ${imagesOf(pod)}`;

const imagesOf = ({ spec }: Pod): string =>
  [...(spec.initContainers ?? []), ...spec.containers].map(({ name, image = '' }) => `${name}=${image}`).join();

const hashOf = ({ metadata }: Pod): string | undefined => own(metadata.annotations, CONFIG_HASH_ANNOTATION);

// A static pod's UID is branded where it enters; here it is only a key.
const uidOf = ({ metadata }: Pod): PodUid => metadata.uid as PodUid;

/**
 * The API has another object under this name, or none, and the watch shows which. An existing mirror is the wanted one
 * unless the watch shows otherwise.
 */
function isNothingToDo({ type }: MirrorStep, outcome: Exclude<ApiOutcome<unknown>, { ok: true }>): boolean {
  const { fault } = outcome;
  return type === 'create' ? isAlreadyExists(fault) : isNotFound(fault) || isConflict(fault);
}
