import type * as Cri from '../cri/gen/api.ts';
import { known } from './cgroup-figures.ts';
import type { CpuStats, InterfaceStats, MemoryStats, NetworkStats, PsiData, PsiStats, SwapStats } from './summary.ts';

/** Converts the runtime's figures to the Summary API. Figures that the runtime does not report are left out. */

type Optional = { readonly value: bigint } | undefined;

const amount = (field: Optional): number | undefined => (field === undefined ? undefined : Number(field.value));

/** Runtimes also report zero for an unknown value: for these fields, zero counts as absent. */
const positive = (field: Optional): number | undefined =>
  field === undefined || field.value === 0n ? undefined : Number(field.value);

export function cpuFromCri(cpu: Cri.CpuUsage | undefined, time: string): CpuStats | undefined {
  if (cpu?.usageCoreNanoSeconds === undefined) return undefined;
  return {
    time,
    ...known({
      usageNanoCores: positive(cpu.usageNanoCores),
      usageCoreNanoSeconds: amount(cpu.usageCoreNanoSeconds),
      psi: psiFromCri(cpu.psi),
    }),
  };
}

export function memoryFromCri(memory: Cri.MemoryUsage | undefined, time: string): MemoryStats | undefined {
  if (memory?.workingSetBytes === undefined) return undefined;
  return {
    time,
    ...known({
      availableBytes: positive(memory.availableBytes),
      usageBytes: positive(memory.usageBytes),
      workingSetBytes: amount(memory.workingSetBytes),
      rssBytes: amount(memory.rssBytes),
      pageFaults: amount(memory.pageFaults),
      majorPageFaults: amount(memory.majorPageFaults),
      psi: psiFromCri(memory.psi),
    }),
  };
}

export function swapFromCri(swap: Cri.SwapUsage | undefined, time: string): SwapStats | undefined {
  if (swap?.swapUsageBytes === undefined) return undefined;
  return {
    time,
    ...known({ swapAvailableBytes: amount(swap.swapAvailableBytes), swapUsageBytes: amount(swap.swapUsageBytes) }),
  };
}

export function networkFromCri(network: Cri.NetworkUsage | undefined, time: string): NetworkStats | undefined {
  if (network?.defaultInterface === undefined) return undefined;
  const standard = interfaceFromCri(network.defaultInterface);
  return { time, ...standard, interfaces: [standard, ...network.interfaces.map(interfaceFromCri)] };
}

const interfaceFromCri = (each: Cri.NetworkInterfaceUsage): InterfaceStats => ({
  name: each.name,
  ...known({
    rxBytes: amount(each.rxBytes),
    rxErrors: amount(each.rxErrors),
    txBytes: amount(each.txBytes),
    txErrors: amount(each.txErrors),
  }),
});

export function psiFromCri(psi: Cri.PsiStats | undefined): PsiStats | undefined {
  if (psi?.Some === undefined || psi.Full === undefined) return undefined;
  return { full: psiData(psi.Full), some: psiData(psi.Some) };
}

const psiData = ({ Total, Avg10, Avg60, Avg300 }: Cri.PsiData): PsiData => ({
  total: Number(Total),
  avg10: Avg10,
  avg60: Avg60,
  avg300: Avg300,
});
