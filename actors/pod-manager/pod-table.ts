import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import { COMMON_RULES, type AdmissionRules } from '../../src/node/admission/pod-admission.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { AllocatedResources } from '../../src/pod/sync/pod-resizes.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import { NodeAdmission } from './admission/admission.ts';
import { ApiObjects } from './api-objects.ts';
import { DoubtedPods } from './server/doubted-pods.ts';
import { FullNames } from './full-names.ts';
import { fullNameOf } from './pod-facts.ts';
import { Preemptions } from './admission/pending-preemptions.ts';
import { Resizes } from './admission/resizes.ts';
import { SourceSessions } from './source-sessions.ts';
import type { Worker } from './worker-record.ts';

/** Inputs of the pod manager beside its messages. */
export interface PodManagerInputs {
  /** Returns the resources that an earlier manager allocated to a pod, as kept on disk. */
  readonly savedAllocation?: (uid: PodUid) => AllocatedResources | undefined;
  /** Returns the victims that an earlier manager chose for a pod, as kept on disk. */
  readonly savedVictims?: (uid: PodUid) => readonly PodUid[];
  readonly rules?: AdmissionRules;
}

/**
 * All knowledge of the pod manager: the desired pods, the pods present, and their workers. Changed by the classes that
 * decide about one part of a pod's life each, in files of their own.
 */
export class PodTable {
  readonly desired = new Map<PodUid, Pod>();
  readonly workers = new Map<PodUid, Worker>();
  readonly names = new FullNames();
  readonly sources: SourceSessions;
  readonly runtimePods = new Map<PodUid, RuntimePodName>();
  /** No pod starts before the node is surveyed: the pod might already be running. */
  surveyed = false;
  /** `true` once no pod is wanted any more, whatever the sources send. */
  draining = false;
  readonly objects: ApiObjects;
  readonly nodeAdmission: NodeAdmission;
  nodeKnown: boolean;
  /** The addresses of this node, the primary family first. Empty until they are known. */
  hostIps: readonly string[] = [];
  readonly resizes: Resizes;
  readonly preemptions: Preemptions;
  /** `true` if there is an API server. The server may have objects that its watches did not bring. */
  readonly server: 'api' | 'none';
  readonly doubted = new DoubtedPods();

  /** `node` is the node as it knows itself, until the API's Node is read. `undefined`: no pod is rejected. */
  constructor(sources: readonly PodSource[], node: AdmissionNode | undefined, inputs: PodManagerInputs) {
    const { savedAllocation = () => undefined, savedVictims = () => [], rules = COMMON_RULES } = inputs;
    this.resizes = new Resizes(savedAllocation);
    this.sources = new SourceSessions(sources);
    this.server = sources.includes('api') ? 'api' : 'none';
    this.objects = new ApiObjects(this.server);
    this.nodeAdmission = new NodeAdmission(node, rules);
    this.preemptions = new Preemptions(savedVictims);
    this.nodeKnown = node === undefined;
  }

  /**
   * `true` once both the desired pods and the pods present are known. From then on, a pod that is neither has no owner.
   */
  get knowsAll(): boolean {
    return this.surveyed && (this.draining || this.sources.allComplete);
  }

  /** The API's pods that are already on the node are admitted first, whatever their order in the list. */
  get canJudge(): boolean {
    return this.nodeKnown && this.sources.isComplete('api');
  }

  /** Returns the pod's name in the runtime; empty when the runtime has no such pod. */
  runtimeName(uid: PodUid): string {
    const pod = this.runtimePods.get(uid);
    return pod === undefined ? '' : fullNameOf(pod);
  }
}
