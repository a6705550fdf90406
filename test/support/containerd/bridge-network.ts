import { randomInt } from 'node:crypto';
import { runProgram } from './run-program.ts';

/** A bridge of its own with an address range that is unused on this machine. */
export interface BridgeNetwork {
  readonly bridge: string;
  /** CIDR with room for a thousand pods. */
  readonly subnet: string;
}

interface LinkAddresses {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string }[];
}

// 198.18.0.0/15 is set aside for test networks (RFC 2544), so no real route is ever hidden. It holds 128 /22 ranges.
const RANGES = 128;
const ATTEMPTS = 64;

/**
 * Creates the bridge with its gateway address, which is what claims the range: the CNI bridge plugin would only do so
 * for the first pod, and two instances started together would then have chosen the same.
 */
export async function claimBridgeNetwork(ip: string, bridge: string): Promise<BridgeNetwork> {
  await runProgram(ip, ['link', 'add', bridge, 'type', 'bridge']);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const range = randomInt(RANGES);
    const prefix = `198.${18 + (range >> 6)}.${(range & 63) * 4}`;
    const gateway = `${prefix}.1`;
    if ((await holdersOf(ip, gateway)).length > 0) continue;
    await runProgram(ip, ['addr', 'add', `${gateway}/22`, 'dev', bridge]);
    // Somebody may have added it between our look and our claim; then both give it up and draw again.
    if ((await holdersOf(ip, gateway)).length === 1) {
      await runProgram(ip, ['link', 'set', bridge, 'up']);
      return { bridge, subnet: `${prefix}.0/22` };
    }
    await runProgram(ip, ['addr', 'del', `${gateway}/22`, 'dev', bridge]);
  }
  await runProgram(ip, ['link', 'delete', bridge]);
  throw new Error(`no free range for the bridge ${bridge} in 198.18.0.0/15 after ${ATTEMPTS} draws`);
}

async function holdersOf(ip: string, address: string): Promise<readonly string[]> {
  // The command's own JSON output; its shape is part of iproute2's interface.
  const links = JSON.parse(await runProgram(ip, ['-json', '-4', 'address', 'show'])) as Partial<LinkAddresses>[];
  return links
    .filter((link) => link.addr_info?.some((info) => info.local === address))
    .map((link) => link.ifname ?? 'unnamed');
}
