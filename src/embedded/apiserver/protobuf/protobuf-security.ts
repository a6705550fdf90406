import { list, message, texts } from './protobuf-parts.ts';

// The wire form of security contexts.

const capabilities = message({
  1: ['add', texts],
  2: ['drop', texts],
});

const linuxOptions = message({
  1: ['user', 'string'],
  2: ['role', 'string'],
  3: ['type', 'string'],
  4: ['level', 'string'],
});

const windowsSecurityContextOptions = message({
  1: ['gmsaCredentialSpecName', 'string'],
  2: ['gmsaCredentialSpec', 'string'],
  3: ['runAsUserName', 'string'],
});

const seccompProfile = message({
  1: ['type', 'string'],
  2: ['localhostProfile', 'string'],
});

const appArmorProfile = message({
  1: ['type', 'string'],
  2: ['localhostProfile', 'string'],
});

export const securityContext = message({
  1: ['capabilities', capabilities],
  2: ['privileged', 'bool'],
  3: ['seLinuxOptions', linuxOptions],
  4: ['runAsUser', 'int'],
  5: ['runAsNonRoot', 'bool'],
  6: ['readOnlyRootFilesystem', 'bool'],
  7: ['allowPrivilegeEscalation', 'bool'],
  8: ['runAsGroup', 'int'],
  9: ['procMount', 'string'],
  10: ['windowsOptions', windowsSecurityContextOptions],
  11: ['seccompProfile', seccompProfile],
  12: ['appArmorProfile', appArmorProfile],
});

const sysctl = message({
  1: ['name', 'string'],
  2: ['value', 'string'],
});

export const podSecurityContext = message({
  1: ['seLinuxOptions', linuxOptions],
  2: ['runAsUser', 'int'],
  3: ['runAsNonRoot', 'bool'],
  4: ['supplementalGroups', list('int')],
  5: ['fsGroup', 'int'],
  6: ['runAsGroup', 'int'],
  7: ['sysctls', list(sysctl)],
  8: ['windowsOptions', windowsSecurityContextOptions],
  9: ['fsGroupChangePolicy', 'string'],
  10: ['seccompProfile', seccompProfile],
  11: ['appArmorProfile', appArmorProfile],
  12: ['supplementalGroupsPolicy', 'string'],
  13: ['seLinuxChangePolicy', 'string'],
});
