import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import { COMMON_RULES, type AdmissionRules } from '../../src/node/admission/pod-admission.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { AllocatedResources } from '../../src/pod/sync/pod-resizes.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import { AdmissionDesk } from './admission/admission.ts';
import { ApiObjects } from './api-objects.ts';
import { FullNames } from './full-names.ts';
import { fullNameOf } from './pod-facts.ts';
import { Preemptions } from './admission/pending-preemptions.ts';
import { Resizes } from './admission/resizes.ts';
import { SourceSessions } from './source-sessions.ts';
import type { Worker } from './worker-record.ts';

/** What the pod manager goes by beside what it is told. */
export interface Surroundings {
  /** What a pod was given by a manager before this one, as kept on disk. */
  readonly recall?: (uid: PodUid) => AllocatedResources | undefined;
  /** For whom others were to end when a manager before this one last said so, as kept on disk. */
  readonly recallVictims?: (uid: PodUid) => readonly PodUid[];
  readonly rules?: AdmissionRules;
}

/**
 * All that the pod manager knows: what is wanted on this node, what there is, and who minds it. Changed by those who
 * decide about a part of a pod's life, each in a file of its own.
 */
export class PodBook {
  readonly desired = new Map<PodUid, Pod>();
  readonly workers = new Map<PodUid, Worker>();
  readonly names = new FullNames();
  readonly sources: SourceSessions;
  readonly runtimePods = new Map<PodUid, RuntimePodName>();
  /** Until the node has been surveyed nothing is started: it might be running already. */
  surveyed = false;
  /** Nothing is wanted any more, whatever the sources say. */
  draining = false;
  readonly objects: ApiObjects;
  readonly desk: AdmissionDesk;
  nodeKnown: boolean;
  readonly resizes: Resizes;
  readonly preemptions: Preemptions;

  /** `node`: what it is like as far as it can tell by itself, until the API's Node is seen. Undefined: nothing is refused. */
  constructor(sources: readonly PodSource[], node: AdmissionNode | undefined, surroundings: Surroundings) {
    const { recall = () => undefined, recallVictims = () => [], rules = COMMON_RULES } = surroundings;
    this.resizes = new Resizes(recall);
    this.sources = new SourceSessions(sources);
    this.objects = new ApiObjects(sources.includes('api') ? 'api' : 'none');
    this.desk = new AdmissionDesk(node, rules);
    this.preemptions = new Preemptions(recallVictims);
    this.nodeKnown = node === undefined;
  }

  /** Whether it is known what is wanted and what there is: whatever is neither is nobody's any more. */
  get knowsAll(): boolean {
    return this.surveyed && (this.draining || this.sources.allComplete);
  }

  /** Of the API's pods those that are there already come first, whatever order they are named in. */
  get canJudge(): boolean {
    return this.nodeKnown && this.sources.isComplete('api');
  }

  /** As the runtime has it; empty where it has no such pod. */
  runtimeName(uid: PodUid): string {
    const pod = this.runtimePods.get(uid);
    return pod === undefined ? '' : fullNameOf(pod);
  }
}
