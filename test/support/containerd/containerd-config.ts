import { join } from 'node:path';
import type { ContainerdTools } from './containerd-availability.ts';
import { PAUSE_IMAGE } from './test-images.ts';

/** Paths of one private containerd, and its names outside its directory. */
export interface ContainerdLayout {
  readonly dir: string;
  readonly socketPath: string;
  readonly configFile: string;
  readonly logFile: string;
  readonly root: string;
  readonly state: string;
  readonly runcRoot: string;
  readonly cniConfDir: string;
  readonly ipamDir: string;
  /** Name of the bridge link, and of the CNI network. */
  readonly bridge: string;
}

// sockaddr_un holds 108 bytes with the closing zero, and containerd appends `.ttrpc` for a second socket.
const LONGEST_SOCKET_PATH = 107 - '.ttrpc'.length;

export function containerdLayout(dir: string, bridge: string): ContainerdLayout {
  const socketPath = join(dir, 'containerd.sock');
  if (Buffer.byteLength(socketPath) > LONGEST_SOCKET_PATH) {
    throw new Error(`${socketPath} is too long for a unix socket (at most ${LONGEST_SOCKET_PATH} bytes)`);
  }
  return {
    dir,
    socketPath,
    configFile: join(dir, 'config.toml'),
    logFile: join(dir, 'containerd.log'),
    root: join(dir, 'root'),
    state: join(dir, 'state'),
    runcRoot: join(dir, 'runc'),
    cniConfDir: join(dir, 'cni'),
    ipamDir: join(dir, 'ipam'),
    bridge,
  };
}

/** The configuration file; whatever it does not name keeps containerd's default. */
export function containerdConfigToml(layout: ContainerdLayout, tools: ContainerdTools): string {
  const text = (value: string): string => JSON.stringify(value);
  return `version = 2
root = ${text(layout.root)}
state = ${text(layout.state)}
# Snapshotters and tracing that no test uses; containerd probes each one at start.
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing",
]

[grpc]
  address = ${text(layout.socketPath)}

[plugins."io.containerd.internal.v1.opt"]
  path = ${text(join(layout.dir, 'opt'))}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${text(PAUSE_IMAGE)}
  # Keeps network namespaces out of /run/netns, where nobody could tell whose they are.
  netns_mounts_under_state_dir = true
  # Without CAP_SYS_RESOURCE runc may not lower oom_score_adj to the sandbox's -998, and no sandbox would start.
  restrict_oom_score_adj = true

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${text(tools.cniBinDir)}
    conf_dir = ${text(layout.cniConfDir)}

  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = ${text(tools.runc)}
        Root = ${text(layout.runcRoot)}
`;
}

/** The CNI network: one bridge with host ports, no way out to the world. */
export function cniConflist(layout: ContainerdLayout, subnet: string): string {
  const bridge = {
    type: 'bridge',
    bridge: layout.bridge,
    isGateway: true,
    ipMasq: false,
    hairpinMode: true,
    ipam: {
      type: 'host-local',
      dataDir: layout.ipamDir,
      ranges: [[{ subnet }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
  const portmap = { type: 'portmap', capabilities: { portMappings: true } };
  return JSON.stringify({ cniVersion: '0.4.0', name: layout.bridge, plugins: [bridge, portmap] }, undefined, 2);
}
