/** The usage of one thread of the agent. */
export interface ThreadUse {
  readonly name: string;
  /** Figures from just before the pods came until all were Ready. */
  readonly cpuMs: number;
  /** At rest, with all pods running. */
  readonly heapMiB: number;
}

/** The result of a run with this many pods. bench/NOTES.md describes each measurement. */
export interface DensityFigures {
  readonly pods: number;
  /** From the first manifest's arrival in the folder until the agent reports the last pod as Ready. */
  readonly wallMs: number;
  /** The same, from the start of the agent process, without the rest before the pods came. */
  readonly wallFromStartMs: number;
  readonly cpuMsPerPod: number;
  /** The part of it that the kernel spent. */
  readonly kernelCpuMsPerPod: number;
  /** Includes the agent's own start. */
  readonly cpuMsPerPodFromStart: number;
  readonly floorCpuMsPerPod: number;
  readonly rssEmptyMiB: number;
  readonly rssMiB: number;
  readonly startP50Ms: number;
  readonly startP99Ms: number;
  /** Measured from the first manifest's arrival, not from its observation. */
  readonly arrivalP50Ms: number;
  readonly arrivalP99Ms: number;
  readonly idleCpuPercent: number;
  readonly threads: readonly ThreadUse[];
  /** CPU of the process outside `threads`: blocking jobs, garbage collection, compilation. */
  readonly otherThreadsCpuMs: number;
  /** Present when pods came from an API server. */
  readonly api?: ApiFigures;
}

/** Figures by pod are undefined where the server does not count. */
export interface ApiFigures {
  readonly statusesPerPod: number | undefined;
  readonly eventsPerPod: number | undefined;
  /** Writes during the start other than for pods, events, the node and its lease. */
  readonly otherWrites: number | undefined;
  /** From the first deletion request until the last object is gone from the API. */
  readonly goneMs: number;
  readonly goneCpuMsPerPod: number;
  /** Statuses, events and the last deletes. */
  readonly goneWritesPerPod: number | undefined;
  readonly restart: RestartFigures;
}

/** The agent's process ends in order, and another begins beside the running pods. */
export interface RestartFigures {
  /** From the start of the process until it reports that it is ready. */
  readonly agentReadyMs: number;
  /** Until it has seen all pods running and Ready. */
  readonly podsReadyMs: number;
  readonly statusWrites: number | undefined;
  readonly events: number | undefined;
  /** Pods that the API has shown not Ready at any moment since. */
  readonly podsSeenUnready: number;
  readonly rssMiB: number;
}

/** The agent's part; the floor is measured apart from it. */
export type AgentFigures = Omit<DensityFigures, 'floorCpuMsPerPod'>;
