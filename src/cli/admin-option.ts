import { resolve } from 'node:path';
import { Option } from 'commander';
import { AdminClient } from './admin/admin-client.ts';
import { adminSocketPath } from './admin/admin-socket.ts';
import { defaultOptions } from '../config/flags/kubelet-options.ts';

/** The option that selects the agent on this machine: the agent with this root folder. */
export const rootDirOption = (): Option =>
  new Option('--root-dir <folder>', 'the --root-dir of the agent to ask').default(defaultOptions.rootDir);

export const adminClientFor = (rootDir: string): AdminClient => new AdminClient(adminSocketPath(resolve(rootDir)));
