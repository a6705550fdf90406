import { own } from '../../src/kube/text/own.ts';
import { isAlreadyExists, isConflict, isNotFound, type ApiOutcome } from '../../src/api/api-request.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import { podFullName, type Pod } from '../../src/kube/pod.ts';
import { CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { MirrorStep } from './protocol.ts';

interface Mirror {
  /** The static pods under this name that are on the node; of several generations the latest has the mirror. */
  readonly pods: Map<PodUid, Pod>;
  readonly objects: Map<string, Pod>;
  step: MirrorStep | undefined;
  /** A mirror that this agent has made, until the watch brings it: what it is a mirror of. */
  made: string | undefined;
  failures: number;
  /** Something has gone wrong; the next step is taken when the time has come. */
  held: boolean;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10_000;

/** Which mirror pods the API should have, and has. Mutated in place: what happens to one name concerns no other. */
export class MirrorSteps {
  readonly #mirrors = new Map<string, Mirror>();
  #allTold = false;

  podPresent(pod: Pod): MirrorStep | undefined {
    const mirror = this.#mirror(podFullName(pod));
    // The latest to come has the name.
    mirror.pods.delete(uidOf(pod));
    mirror.pods.set(uidOf(pod), pod);
    return this.next(podFullName(pod));
  }

  podGone(fullName: string, uid: PodUid): MirrorStep | undefined {
    this.#mirrors.get(fullName)?.pods.delete(uid);
    return this.next(fullName);
  }

  objectSeen(object: Pod): MirrorStep | undefined {
    const fullName = podFullName(object);
    const mirror = this.#mirror(fullName);
    mirror.objects.set(object.metadata.uid, object);
    mirror.made = undefined;
    return this.next(fullName);
  }

  objectGone(fullName: string, uid: string): MirrorStep | undefined {
    const mirror = this.#mirrors.get(fullName);
    mirror?.objects.delete(uid);
    if (mirror !== undefined) mirror.made = undefined;
    return this.next(fullName);
  }

  /** Every name is looked at once; later ones as something happens to them. */
  allTold(): readonly MirrorStep[] {
    this.#allTold = true;
    return [...this.#mirrors.keys()].flatMap((fullName) => this.next(fullName) ?? []);
  }

  /** The next call for a name, if one is due and none is under way. */
  next(fullName: string): MirrorStep | undefined {
    const mirror = this.#mirrors.get(fullName);
    // Before everything was told nobody can say what is missing in the API, and what is too much there.
    if (mirror === undefined || !this.#allTold || mirror.step !== undefined || mirror.held) return undefined;
    mirror.step = wantedStep(fullName, mirror);
    if (mirror.step === undefined && mirror.pods.size === 0 && mirror.objects.size === 0) {
      this.#mirrors.delete(fullName);
    }
    return mirror.step;
  }

  /** What comes of a step: the next one, or when to try again. */
  ended(
    step: MirrorStep,
    outcome: ApiOutcome<unknown>,
  ): { readonly retryInMs: number } | { readonly next: MirrorStep | undefined } {
    const mirror = this.#mirrors.get(step.fullName);
    if (mirror === undefined) return { next: undefined };
    mirror.step = undefined;
    if (!outcome.ok && !isAsGoodAsDone(step, outcome)) {
      mirror.failures += 1;
      mirror.held = true;
      return { retryInMs: Math.min(FIRST_DELAY_MS * 2 ** (mirror.failures - 1), LONGEST_DELAY_MS) };
    }
    mirror.failures = 0;
    // The watch tells the rest; what it has not told yet must not be done twice.
    if (step.type === 'delete') mirror.objects.delete(step.uid);
    else mirror.made = madeFrom(step.pod);
    return { next: this.next(step.fullName) };
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
      step: undefined,
      made: undefined,
      failures: 0,
      held: false,
    };
    this.#mirrors.set(fullName, mirror);
    return mirror;
  }
}

/** Deletes what is no mirror of the pod that is here, and makes one that is missing. A name has one object at a time. */
function wantedStep(fullName: string, { pods, objects, made }: Mirror): MirrorStep | undefined {
  const pod = [...pods.values()].at(-1);
  for (const object of objects.values()) {
    if (pod !== undefined && isMirrorOf(object, pod)) continue;
    const { namespace, name, uid } = object.metadata;
    return { type: 'delete', fullName, namespace, name, uid };
  }
  if (pod === undefined || objects.size > 0 || made === madeFrom(pod)) return undefined;
  return { type: 'create', fullName, pod };
}

/**
 * One that is being deleted is none any more: it would take its static pod's status along. A pod whose manifest gives it a
 * UID keeps its hash when it is changed; then the images, which are what is restarted for, tell that the mirror is of an old one.
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
 * Another object under the name, or none: the watch says which. A mirror that exists already is what was wanted, or will
 * be seen not to be.
 */
function isAsGoodAsDone({ type }: MirrorStep, outcome: Exclude<ApiOutcome<unknown>, { ok: true }>): boolean {
  const { fault } = outcome;
  return type === 'create' ? isAlreadyExists(fault) : isNotFound(fault) || isConflict(fault);
}
