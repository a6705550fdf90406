/** What one thread of the agent used. */
export interface ThreadUse {
  readonly name: string;
  /** Between the moment before the pods came and the one when all were Ready. */
  readonly cpuMs: number;
  /** At rest, with all pods running. */
  readonly heapMiB: number;
}

/** What a run with so many pods came to. bench/README.md says how each figure is taken. */
export interface DensityFigures {
  readonly pods: number;
  /** From the first manifest's arrival in the folder until the agent says that the last pod is Ready. */
  readonly wallMs: number;
  /** The same, from the start of the agent process, without the rest before the pods came. */
  readonly wallFromStartMs: number;
  readonly cpuMsPerPod: number;
  /** The part of it that the kernel spent. */
  readonly kernelCpuMsPerPod: number;
  /** With what the agent's own start cost. */
  readonly cpuMsPerPodFromStart: number;
  readonly floorCpuMsPerPod: number;
  readonly rssEmptyMiB: number;
  readonly rssMiB: number;
  readonly startP50Ms: number;
  readonly startP99Ms: number;
  /** From the first manifest's arrival instead of the moment its pod was seen. */
  readonly arrivalP50Ms: number;
  readonly arrivalP99Ms: number;
  readonly idleCpuPercent: number;
  readonly threads: readonly ThreadUse[];
  /** CPU of the process that is none of `threads`: blocking jobs, garbage collection, compilation. */
  readonly otherThreadsCpuMs: number;
}

/** The agent's part; the floor is measured apart from it. */
export type AgentFigures = Omit<DensityFigures, 'floorCpuMsPerPod'>;
