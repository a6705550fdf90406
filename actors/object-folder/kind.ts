import { watchedFolder } from '../../src/host/watched-folder.ts';
import { ObjectFolder } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ObjectFolderProtocol } from './protocol.ts';

/** Reads ConfigMaps and Secrets from a directory, where there is no API server. */
export const kind = agentKind<ObjectFolderProtocol>({
  runsOn: 'volumes',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'config-map': true,
    'read-due': true,
    'read-failed': true,
    'folder-read': true,
    'runtime-class': true,
    secret: true,
    'service-account-token': true,
    'services-of-namespace': true,
  },
  make({ settings: { objectsDir, config } }) {
    if (objectsDir === undefined) throw new Error('the object-folder actor needs a directory of objects');
    const deps = { folder: watchedFolder(objectsDir), pollEveryMs: config.fileCheckFrequency };
    return (context) => new ObjectFolder(context, deps);
  },
});
