// Made from api-messages.txt by `npm run -s generate`. Changes are lost.
import type { Fields, ProtobufReader, ReadMessage } from '../protobuf-reader.ts';

function readOwnerReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['kind'] = r.text(); break;
      case 26: o['name'] = r.text(); break;
      case 34: o['uid'] = r.text(); break;
      case 42: o['apiVersion'] = r.text(); break;
      case 48: o['controller'] = r.bool(); break;
      case 56: o['blockOwnerDeletion'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readObjectMeta(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['generateName'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['namespace'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['selfLink'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['resourceVersion'] = v; } break;
      case 56: { const v = r.int(); if (v !== 0) o['generation'] = v; } break;
      case 66: { const v = r.time(); if (v !== undefined) o['creationTimestamp'] = v; } break;
      case 74: { const v = r.time(); if (v !== undefined) o['deletionTimestamp'] = v; } break;
      case 80: o['deletionGracePeriodSeconds'] = r.int(); break;
      case 90: r.textEntry((o['labels'] ??= {}) as Fields); break;
      case 98: r.textEntry((o['annotations'] ??= {}) as Fields); break;
      case 106: { const v = readOwnerReference(r, r.nested()); const l = o['ownerReferences'] as unknown[] | undefined; if (l) l.push(v); else o['ownerReferences'] = [v]; } break;
      case 114: { const v = r.text(); const l = o['finalizers'] as unknown[] | undefined; if (l) l.push(v); else o['finalizers'] = [v]; } break;
      case 138: r.pass(tag); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readHostPathVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['path'] = r.text(); break;
      case 18: o['type'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEmptyDirVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['medium'] = v; } break;
      case 18: o['sizeLimit'] = r.quantity(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readGCEPersistentDiskVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['pdName'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 24: { const v = r.int(); if (v !== 0) o['partition'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAWSElasticBlockStoreVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 24: { const v = r.int(); if (v !== 0) o['partition'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readGitRepoVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['repository'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['revision'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['directory'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readKeyToPath(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['key'] = r.text(); break;
      case 18: o['path'] = r.text(); break;
      case 24: o['mode'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecretVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['secretName'] = v; } break;
      case 18: { const v = readKeyToPath(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      case 24: o['defaultMode'] = r.int(); break;
      case 32: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNFSVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['server'] = r.text(); break;
      case 18: o['path'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLocalObjectReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readISCSIVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['targetPortal'] = r.text(); break;
      case 18: o['iqn'] = r.text(); break;
      case 24: o['lun'] = r.int(); break;
      case 34: { const v = r.text(); if (v !== '') o['iscsiInterface'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 48: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 58: { const v = r.text(); const l = o['portals'] as unknown[] | undefined; if (l) l.push(v); else o['portals'] = [v]; } break;
      case 64: { const v = r.bool(); if (v !== false) o['chapAuthDiscovery'] = v; } break;
      case 82: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      case 88: { const v = r.bool(); if (v !== false) o['chapAuthSession'] = v; } break;
      case 98: o['initiatorName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readGlusterfsVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['endpoints'] = r.text(); break;
      case 18: o['path'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaimVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['claimName'] = r.text(); break;
      case 16: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readRBDVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['monitors'] as unknown[] | undefined; if (l) l.push(v); else o['monitors'] = [v]; } break;
      case 18: o['image'] = r.text(); break;
      case 26: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['pool'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['keyring'] = v; } break;
      case 58: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      case 64: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFlexVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['driver'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 26: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 42: r.textEntry((o['options'] ??= {}) as Fields); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCinderVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCephFSVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['monitors'] as unknown[] | undefined; if (l) l.push(v); else o['monitors'] = [v]; } break;
      case 18: { const v = r.text(); if (v !== '') o['path'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['secretFile'] = v; } break;
      case 42: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      case 48: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFlockerVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['datasetName'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['datasetUUID'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readObjectFieldSelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['apiVersion'] = v; } break;
      case 18: o['fieldPath'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceFieldSelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['containerName'] = v; } break;
      case 18: o['resource'] = r.text(); break;
      case 26: o['divisor'] = r.quantity(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readDownwardAPIVolumeFile(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['path'] = r.text(); break;
      case 18: o['fieldRef'] = readObjectFieldSelector(r, r.nested()); break;
      case 26: o['resourceFieldRef'] = readResourceFieldSelector(r, r.nested()); break;
      case 32: o['mode'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readDownwardAPIVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readDownwardAPIVolumeFile(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      case 16: o['defaultMode'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFCVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['targetWWNs'] as unknown[] | undefined; if (l) l.push(v); else o['targetWWNs'] = [v]; } break;
      case 16: o['lun'] = r.int(); break;
      case 26: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 42: { const v = r.text(); const l = o['wwids'] as unknown[] | undefined; if (l) l.push(v); else o['wwids'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAzureFileVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['secretName'] = r.text(); break;
      case 18: o['shareName'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMapVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 18: { const v = readKeyToPath(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      case 24: o['defaultMode'] = r.int(); break;
      case 32: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVsphereVirtualDiskVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumePath'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['storagePolicyName'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['storagePolicyID'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readQuobyteVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['registry'] = r.text(); break;
      case 18: o['volume'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['group'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['tenant'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAzureDiskVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['diskName'] = r.text(); break;
      case 18: o['diskURI'] = r.text(); break;
      case 26: o['cachingMode'] = r.text(); break;
      case 34: o['fsType'] = r.text(); break;
      case 40: o['readOnly'] = r.bool(); break;
      case 50: o['kind'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPhotonPersistentDiskVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['pdID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPortworxVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readScaleIOVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['gateway'] = r.text(); break;
      case 18: o['system'] = r.text(); break;
      case 26: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      case 32: { const v = r.bool(); if (v !== false) o['sslEnabled'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['protectionDomain'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['storagePool'] = v; } break;
      case 58: { const v = r.text(); if (v !== '') o['storageMode'] = v; } break;
      case 66: { const v = r.text(); if (v !== '') o['volumeName'] = v; } break;
      case 74: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 80: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecretProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 18: { const v = readKeyToPath(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      case 32: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readDownwardAPIProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readDownwardAPIVolumeFile(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMapProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 18: { const v = readKeyToPath(r, r.nested()); const l = o['items'] as unknown[] | undefined; if (l) l.push(v); else o['items'] = [v]; } break;
      case 32: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readServiceAccountTokenProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['audience'] = v; } break;
      case 16: o['expirationSeconds'] = r.int(); break;
      case 26: o['path'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLabelSelectorRequirement(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['key'] = r.text(); break;
      case 18: o['operator'] = r.text(); break;
      case 26: { const v = r.text(); const l = o['values'] as unknown[] | undefined; if (l) l.push(v); else o['values'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLabelSelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.textEntry((o['matchLabels'] ??= {}) as Fields); break;
      case 18: { const v = readLabelSelectorRequirement(r, r.nested()); const l = o['matchExpressions'] as unknown[] | undefined; if (l) l.push(v); else o['matchExpressions'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readClusterTrustBundleProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['signerName'] = r.text(); break;
      case 26: o['labelSelector'] = readLabelSelector(r, r.nested()); break;
      case 34: o['path'] = r.text(); break;
      case 40: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodCertificateProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['signerName'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['keyType'] = v; } break;
      case 24: o['maxExpirationSeconds'] = r.int(); break;
      case 34: { const v = r.text(); if (v !== '') o['credentialBundlePath'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['keyPath'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['certificateChainPath'] = v; } break;
      case 58: r.textEntry((o['userAnnotations'] ??= {}) as Fields); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeProjection(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['secret'] = readSecretProjection(r, r.nested()); break;
      case 18: o['downwardAPI'] = readDownwardAPIProjection(r, r.nested()); break;
      case 26: o['configMap'] = readConfigMapProjection(r, r.nested()); break;
      case 34: o['serviceAccountToken'] = readServiceAccountTokenProjection(r, r.nested()); break;
      case 42: o['clusterTrustBundle'] = readClusterTrustBundleProjection(r, r.nested()); break;
      case 50: o['podCertificate'] = readPodCertificateProjection(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readProjectedVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readVolumeProjection(r, r.nested()); const l = o['sources'] as unknown[] | undefined; if (l) l.push(v); else o['sources'] = [v]; } break;
      case 16: o['defaultMode'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readStorageOSVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['volumeName'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['volumeNamespace'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 42: o['secretRef'] = readLocalObjectReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSIVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['driver'] = r.text(); break;
      case 16: o['readOnly'] = r.bool(); break;
      case 26: o['fsType'] = r.text(); break;
      case 34: r.textEntry((o['volumeAttributes'] ??= {}) as Fields); break;
      case 42: o['nodePublishSecretRef'] = readLocalObjectReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeResourceRequirements(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.entry((o['limits'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 18: r.entry((o['requests'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTypedLocalObjectReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['apiGroup'] = r.text(); break;
      case 18: o['kind'] = r.text(); break;
      case 26: o['name'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTypedObjectReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['apiGroup'] = r.text(); break;
      case 18: o['kind'] = r.text(); break;
      case 26: o['name'] = r.text(); break;
      case 34: o['namespace'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaimSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['accessModes'] as unknown[] | undefined; if (l) l.push(v); else o['accessModes'] = [v]; } break;
      case 18: o['resources'] = readVolumeResourceRequirements(r, r.nested()); break;
      case 26: { const v = r.text(); if (v !== '') o['volumeName'] = v; } break;
      case 34: o['selector'] = readLabelSelector(r, r.nested()); break;
      case 42: o['storageClassName'] = r.text(); break;
      case 50: o['volumeMode'] = r.text(); break;
      case 58: o['dataSource'] = readTypedLocalObjectReference(r, r.nested()); break;
      case 66: o['dataSourceRef'] = readTypedObjectReference(r, r.nested()); break;
      case 74: o['volumeAttributesClassName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaimTemplate(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readPersistentVolumeClaimSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEphemeralVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeClaimTemplate'] = readPersistentVolumeClaimTemplate(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readImageVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['reference'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['pullPolicy'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['hostPath'] = readHostPathVolumeSource(r, r.nested()); break;
      case 18: o['emptyDir'] = readEmptyDirVolumeSource(r, r.nested()); break;
      case 26: o['gcePersistentDisk'] = readGCEPersistentDiskVolumeSource(r, r.nested()); break;
      case 34: o['awsElasticBlockStore'] = readAWSElasticBlockStoreVolumeSource(r, r.nested()); break;
      case 42: o['gitRepo'] = readGitRepoVolumeSource(r, r.nested()); break;
      case 50: o['secret'] = readSecretVolumeSource(r, r.nested()); break;
      case 58: o['nfs'] = readNFSVolumeSource(r, r.nested()); break;
      case 66: o['iscsi'] = readISCSIVolumeSource(r, r.nested()); break;
      case 74: o['glusterfs'] = readGlusterfsVolumeSource(r, r.nested()); break;
      case 82: o['persistentVolumeClaim'] = readPersistentVolumeClaimVolumeSource(r, r.nested()); break;
      case 90: o['rbd'] = readRBDVolumeSource(r, r.nested()); break;
      case 98: o['flexVolume'] = readFlexVolumeSource(r, r.nested()); break;
      case 106: o['cinder'] = readCinderVolumeSource(r, r.nested()); break;
      case 114: o['cephfs'] = readCephFSVolumeSource(r, r.nested()); break;
      case 122: o['flocker'] = readFlockerVolumeSource(r, r.nested()); break;
      case 130: o['downwardAPI'] = readDownwardAPIVolumeSource(r, r.nested()); break;
      case 138: o['fc'] = readFCVolumeSource(r, r.nested()); break;
      case 146: o['azureFile'] = readAzureFileVolumeSource(r, r.nested()); break;
      case 154: o['configMap'] = readConfigMapVolumeSource(r, r.nested()); break;
      case 162: o['vsphereVolume'] = readVsphereVirtualDiskVolumeSource(r, r.nested()); break;
      case 170: o['quobyte'] = readQuobyteVolumeSource(r, r.nested()); break;
      case 178: o['azureDisk'] = readAzureDiskVolumeSource(r, r.nested()); break;
      case 186: o['photonPersistentDisk'] = readPhotonPersistentDiskVolumeSource(r, r.nested()); break;
      case 194: o['portworxVolume'] = readPortworxVolumeSource(r, r.nested()); break;
      case 202: o['scaleIO'] = readScaleIOVolumeSource(r, r.nested()); break;
      case 210: o['projected'] = readProjectedVolumeSource(r, r.nested()); break;
      case 218: o['storageos'] = readStorageOSVolumeSource(r, r.nested()); break;
      case 226: o['csi'] = readCSIVolumeSource(r, r.nested()); break;
      case 234: o['ephemeral'] = readEphemeralVolumeSource(r, r.nested()); break;
      case 242: o['image'] = readImageVolumeSource(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolume(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: readVolumeSource(r, r.nested(), o); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerPort(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 16: { const v = r.int(); if (v !== 0) o['hostPort'] = v; } break;
      case 24: o['containerPort'] = r.int(); break;
      case 34: { const v = r.text(); if (v !== '') o['protocol'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['hostIP'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMapKeySelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 18: o['key'] = r.text(); break;
      case 24: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecretKeySelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 18: o['key'] = r.text(); break;
      case 24: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFileKeySelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeName'] = r.text(); break;
      case 18: o['path'] = r.text(); break;
      case 26: o['key'] = r.text(); break;
      case 32: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEnvVarSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['fieldRef'] = readObjectFieldSelector(r, r.nested()); break;
      case 18: o['resourceFieldRef'] = readResourceFieldSelector(r, r.nested()); break;
      case 26: o['configMapKeyRef'] = readConfigMapKeySelector(r, r.nested()); break;
      case 34: o['secretKeyRef'] = readSecretKeySelector(r, r.nested()); break;
      case 42: o['fileKeyRef'] = readFileKeySelector(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEnvVar(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['value'] = v; } break;
      case 26: o['valueFrom'] = readEnvVarSource(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceClaim(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['request'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceRequirements(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.entry((o['limits'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 18: r.entry((o['requests'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 26: { const v = readResourceClaim(r, r.nested()); const l = o['claims'] as unknown[] | undefined; if (l) l.push(v); else o['claims'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeMount(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 16: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 26: o['mountPath'] = r.text(); break;
      case 34: { const v = r.text(); if (v !== '') o['subPath'] = v; } break;
      case 42: o['mountPropagation'] = r.text(); break;
      case 50: { const v = r.text(); if (v !== '') o['subPathExpr'] = v; } break;
      case 58: o['recursiveReadOnly'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readExecAction(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['command'] as unknown[] | undefined; if (l) l.push(v); else o['command'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readHTTPHeader(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['value'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readHTTPGetAction(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['path'] = v; } break;
      case 18: o['port'] = r.intOrString(); break;
      case 26: { const v = r.text(); if (v !== '') o['host'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['scheme'] = v; } break;
      case 42: { const v = readHTTPHeader(r, r.nested()); const l = o['httpHeaders'] as unknown[] | undefined; if (l) l.push(v); else o['httpHeaders'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTCPSocketAction(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['port'] = r.intOrString(); break;
      case 18: { const v = r.text(); if (v !== '') o['host'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readGRPCAction(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['port'] = r.int(); break;
      case 18: o['service'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readProbeHandler(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['exec'] = readExecAction(r, r.nested()); break;
      case 18: o['httpGet'] = readHTTPGetAction(r, r.nested()); break;
      case 26: o['tcpSocket'] = readTCPSocketAction(r, r.nested()); break;
      case 34: o['grpc'] = readGRPCAction(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readProbe(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readProbeHandler(r, r.nested(), o); break;
      case 16: { const v = r.int(); if (v !== 0) o['initialDelaySeconds'] = v; } break;
      case 24: { const v = r.int(); if (v !== 0) o['timeoutSeconds'] = v; } break;
      case 32: { const v = r.int(); if (v !== 0) o['periodSeconds'] = v; } break;
      case 40: { const v = r.int(); if (v !== 0) o['successThreshold'] = v; } break;
      case 48: { const v = r.int(); if (v !== 0) o['failureThreshold'] = v; } break;
      case 56: o['terminationGracePeriodSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSleepAction(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['seconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLifecycleHandler(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['exec'] = readExecAction(r, r.nested()); break;
      case 18: o['httpGet'] = readHTTPGetAction(r, r.nested()); break;
      case 26: o['tcpSocket'] = readTCPSocketAction(r, r.nested()); break;
      case 34: o['sleep'] = readSleepAction(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLifecycle(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['postStart'] = readLifecycleHandler(r, r.nested()); break;
      case 18: o['preStop'] = readLifecycleHandler(r, r.nested()); break;
      case 26: o['stopSignal'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCapabilities(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['add'] as unknown[] | undefined; if (l) l.push(v); else o['add'] = [v]; } break;
      case 18: { const v = r.text(); const l = o['drop'] as unknown[] | undefined; if (l) l.push(v); else o['drop'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSELinuxOptions(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['role'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['type'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['level'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readWindowsSecurityContextOptions(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['gmsaCredentialSpecName'] = r.text(); break;
      case 18: o['gmsaCredentialSpec'] = r.text(); break;
      case 26: o['runAsUserName'] = r.text(); break;
      case 32: o['hostProcess'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSeccompProfile(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['localhostProfile'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAppArmorProfile(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['localhostProfile'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecurityContext(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['capabilities'] = readCapabilities(r, r.nested()); break;
      case 16: o['privileged'] = r.bool(); break;
      case 26: o['seLinuxOptions'] = readSELinuxOptions(r, r.nested()); break;
      case 32: o['runAsUser'] = r.int(); break;
      case 40: o['runAsNonRoot'] = r.bool(); break;
      case 48: o['readOnlyRootFilesystem'] = r.bool(); break;
      case 56: o['allowPrivilegeEscalation'] = r.bool(); break;
      case 64: o['runAsGroup'] = r.int(); break;
      case 74: o['procMount'] = r.text(); break;
      case 82: o['windowsOptions'] = readWindowsSecurityContextOptions(r, r.nested()); break;
      case 90: o['seccompProfile'] = readSeccompProfile(r, r.nested()); break;
      case 98: o['appArmorProfile'] = readAppArmorProfile(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMapEnvSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 16: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecretEnvSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readLocalObjectReference(r, r.nested(), o); break;
      case 16: o['optional'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEnvFromSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['prefix'] = v; } break;
      case 18: o['configMapRef'] = readConfigMapEnvSource(r, r.nested()); break;
      case 26: o['secretRef'] = readSecretEnvSource(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeDevice(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['devicePath'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerResizePolicy(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['resourceName'] = r.text(); break;
      case 18: o['restartPolicy'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerRestartRuleOnExitCodes(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['operator'] = v; } break;
      case 16: { const v = r.int(); const l = o['values'] as unknown[] | undefined; if (l) l.push(v); else o['values'] = [v]; } break; case 18: { const l = (o['values'] ??= []) as unknown[]; for (const e = r.nested(); r.position < e; ) l.push(r.int()); } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerRestartRule(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['action'] = v; } break;
      case 18: o['exitCodes'] = readContainerRestartRuleOnExitCodes(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainer(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['image'] = v; } break;
      case 26: { const v = r.text(); const l = o['command'] as unknown[] | undefined; if (l) l.push(v); else o['command'] = [v]; } break;
      case 34: { const v = r.text(); const l = o['args'] as unknown[] | undefined; if (l) l.push(v); else o['args'] = [v]; } break;
      case 42: { const v = r.text(); if (v !== '') o['workingDir'] = v; } break;
      case 50: { const v = readContainerPort(r, r.nested()); const l = o['ports'] as unknown[] | undefined; if (l) l.push(v); else o['ports'] = [v]; } break;
      case 58: { const v = readEnvVar(r, r.nested()); const l = o['env'] as unknown[] | undefined; if (l) l.push(v); else o['env'] = [v]; } break;
      case 66: o['resources'] = readResourceRequirements(r, r.nested()); break;
      case 74: { const v = readVolumeMount(r, r.nested()); const l = o['volumeMounts'] as unknown[] | undefined; if (l) l.push(v); else o['volumeMounts'] = [v]; } break;
      case 82: o['livenessProbe'] = readProbe(r, r.nested()); break;
      case 90: o['readinessProbe'] = readProbe(r, r.nested()); break;
      case 98: o['lifecycle'] = readLifecycle(r, r.nested()); break;
      case 106: { const v = r.text(); if (v !== '') o['terminationMessagePath'] = v; } break;
      case 114: { const v = r.text(); if (v !== '') o['imagePullPolicy'] = v; } break;
      case 122: o['securityContext'] = readSecurityContext(r, r.nested()); break;
      case 128: { const v = r.bool(); if (v !== false) o['stdin'] = v; } break;
      case 136: { const v = r.bool(); if (v !== false) o['stdinOnce'] = v; } break;
      case 144: { const v = r.bool(); if (v !== false) o['tty'] = v; } break;
      case 154: { const v = readEnvFromSource(r, r.nested()); const l = o['envFrom'] as unknown[] | undefined; if (l) l.push(v); else o['envFrom'] = [v]; } break;
      case 162: { const v = r.text(); if (v !== '') o['terminationMessagePolicy'] = v; } break;
      case 170: { const v = readVolumeDevice(r, r.nested()); const l = o['volumeDevices'] as unknown[] | undefined; if (l) l.push(v); else o['volumeDevices'] = [v]; } break;
      case 178: o['startupProbe'] = readProbe(r, r.nested()); break;
      case 186: { const v = readContainerResizePolicy(r, r.nested()); const l = o['resizePolicy'] as unknown[] | undefined; if (l) l.push(v); else o['resizePolicy'] = [v]; } break;
      case 194: o['restartPolicy'] = r.text(); break;
      case 202: { const v = readContainerRestartRule(r, r.nested()); const l = o['restartPolicyRules'] as unknown[] | undefined; if (l) l.push(v); else o['restartPolicyRules'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSysctl(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['value'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodSecurityContext(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['seLinuxOptions'] = readSELinuxOptions(r, r.nested()); break;
      case 16: o['runAsUser'] = r.int(); break;
      case 24: o['runAsNonRoot'] = r.bool(); break;
      case 32: { const v = r.int(); const l = o['supplementalGroups'] as unknown[] | undefined; if (l) l.push(v); else o['supplementalGroups'] = [v]; } break; case 34: { const l = (o['supplementalGroups'] ??= []) as unknown[]; for (const e = r.nested(); r.position < e; ) l.push(r.int()); } break;
      case 40: o['fsGroup'] = r.int(); break;
      case 48: o['runAsGroup'] = r.int(); break;
      case 58: { const v = readSysctl(r, r.nested()); const l = o['sysctls'] as unknown[] | undefined; if (l) l.push(v); else o['sysctls'] = [v]; } break;
      case 66: o['windowsOptions'] = readWindowsSecurityContextOptions(r, r.nested()); break;
      case 74: o['fsGroupChangePolicy'] = r.text(); break;
      case 82: o['seccompProfile'] = readSeccompProfile(r, r.nested()); break;
      case 90: o['appArmorProfile'] = readAppArmorProfile(r, r.nested()); break;
      case 98: o['supplementalGroupsPolicy'] = r.text(); break;
      case 106: o['seLinuxChangePolicy'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSelectorRequirement(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['key'] = r.text(); break;
      case 18: o['operator'] = r.text(); break;
      case 26: { const v = r.text(); const l = o['values'] as unknown[] | undefined; if (l) l.push(v); else o['values'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSelectorTerm(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readNodeSelectorRequirement(r, r.nested()); const l = o['matchExpressions'] as unknown[] | undefined; if (l) l.push(v); else o['matchExpressions'] = [v]; } break;
      case 18: { const v = readNodeSelectorRequirement(r, r.nested()); const l = o['matchFields'] as unknown[] | undefined; if (l) l.push(v); else o['matchFields'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSelector(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readNodeSelectorTerm(r, r.nested()); const l = o['nodeSelectorTerms'] as unknown[] | undefined; if (l) l.push(v); else o['nodeSelectorTerms'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPreferredSchedulingTerm(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['weight'] = r.int(); break;
      case 18: o['preference'] = readNodeSelectorTerm(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeAffinity(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['requiredDuringSchedulingIgnoredDuringExecution'] = readNodeSelector(r, r.nested()); break;
      case 18: { const v = readPreferredSchedulingTerm(r, r.nested()); const l = o['preferredDuringSchedulingIgnoredDuringExecution'] as unknown[] | undefined; if (l) l.push(v); else o['preferredDuringSchedulingIgnoredDuringExecution'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodAffinityTerm(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['labelSelector'] = readLabelSelector(r, r.nested()); break;
      case 18: { const v = r.text(); const l = o['namespaces'] as unknown[] | undefined; if (l) l.push(v); else o['namespaces'] = [v]; } break;
      case 26: o['topologyKey'] = r.text(); break;
      case 34: o['namespaceSelector'] = readLabelSelector(r, r.nested()); break;
      case 42: { const v = r.text(); const l = o['matchLabelKeys'] as unknown[] | undefined; if (l) l.push(v); else o['matchLabelKeys'] = [v]; } break;
      case 50: { const v = r.text(); const l = o['mismatchLabelKeys'] as unknown[] | undefined; if (l) l.push(v); else o['mismatchLabelKeys'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readWeightedPodAffinityTerm(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['weight'] = r.int(); break;
      case 18: o['podAffinityTerm'] = readPodAffinityTerm(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodAffinity(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readPodAffinityTerm(r, r.nested()); const l = o['requiredDuringSchedulingIgnoredDuringExecution'] as unknown[] | undefined; if (l) l.push(v); else o['requiredDuringSchedulingIgnoredDuringExecution'] = [v]; } break;
      case 18: { const v = readWeightedPodAffinityTerm(r, r.nested()); const l = o['preferredDuringSchedulingIgnoredDuringExecution'] as unknown[] | undefined; if (l) l.push(v); else o['preferredDuringSchedulingIgnoredDuringExecution'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodAntiAffinity(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readPodAffinityTerm(r, r.nested()); const l = o['requiredDuringSchedulingIgnoredDuringExecution'] as unknown[] | undefined; if (l) l.push(v); else o['requiredDuringSchedulingIgnoredDuringExecution'] = [v]; } break;
      case 18: { const v = readWeightedPodAffinityTerm(r, r.nested()); const l = o['preferredDuringSchedulingIgnoredDuringExecution'] as unknown[] | undefined; if (l) l.push(v); else o['preferredDuringSchedulingIgnoredDuringExecution'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAffinity(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['nodeAffinity'] = readNodeAffinity(r, r.nested()); break;
      case 18: o['podAffinity'] = readPodAffinity(r, r.nested()); break;
      case 26: o['podAntiAffinity'] = readPodAntiAffinity(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readToleration(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['key'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['operator'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['value'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['effect'] = v; } break;
      case 40: o['tolerationSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readHostAlias(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['ip'] = r.text(); break;
      case 18: { const v = r.text(); const l = o['hostnames'] as unknown[] | undefined; if (l) l.push(v); else o['hostnames'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodDNSConfigOption(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 18: o['value'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodDNSConfig(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['nameservers'] as unknown[] | undefined; if (l) l.push(v); else o['nameservers'] = [v]; } break;
      case 18: { const v = r.text(); const l = o['searches'] as unknown[] | undefined; if (l) l.push(v); else o['searches'] = [v]; } break;
      case 26: { const v = readPodDNSConfigOption(r, r.nested()); const l = o['options'] as unknown[] | undefined; if (l) l.push(v); else o['options'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodReadinessGate(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['conditionType'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTopologySpreadConstraint(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['maxSkew'] = r.int(); break;
      case 18: o['topologyKey'] = r.text(); break;
      case 26: o['whenUnsatisfiable'] = r.text(); break;
      case 34: o['labelSelector'] = readLabelSelector(r, r.nested()); break;
      case 40: o['minDomains'] = r.int(); break;
      case 50: o['nodeAffinityPolicy'] = r.text(); break;
      case 58: o['nodeTaintsPolicy'] = r.text(); break;
      case 66: { const v = r.text(); const l = o['matchLabelKeys'] as unknown[] | undefined; if (l) l.push(v); else o['matchLabelKeys'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEphemeralContainerCommon(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['image'] = v; } break;
      case 26: { const v = r.text(); const l = o['command'] as unknown[] | undefined; if (l) l.push(v); else o['command'] = [v]; } break;
      case 34: { const v = r.text(); const l = o['args'] as unknown[] | undefined; if (l) l.push(v); else o['args'] = [v]; } break;
      case 42: { const v = r.text(); if (v !== '') o['workingDir'] = v; } break;
      case 50: { const v = readContainerPort(r, r.nested()); const l = o['ports'] as unknown[] | undefined; if (l) l.push(v); else o['ports'] = [v]; } break;
      case 58: { const v = readEnvVar(r, r.nested()); const l = o['env'] as unknown[] | undefined; if (l) l.push(v); else o['env'] = [v]; } break;
      case 66: o['resources'] = readResourceRequirements(r, r.nested()); break;
      case 74: { const v = readVolumeMount(r, r.nested()); const l = o['volumeMounts'] as unknown[] | undefined; if (l) l.push(v); else o['volumeMounts'] = [v]; } break;
      case 82: o['livenessProbe'] = readProbe(r, r.nested()); break;
      case 90: o['readinessProbe'] = readProbe(r, r.nested()); break;
      case 98: o['lifecycle'] = readLifecycle(r, r.nested()); break;
      case 106: { const v = r.text(); if (v !== '') o['terminationMessagePath'] = v; } break;
      case 114: { const v = r.text(); if (v !== '') o['imagePullPolicy'] = v; } break;
      case 122: o['securityContext'] = readSecurityContext(r, r.nested()); break;
      case 128: { const v = r.bool(); if (v !== false) o['stdin'] = v; } break;
      case 136: { const v = r.bool(); if (v !== false) o['stdinOnce'] = v; } break;
      case 144: { const v = r.bool(); if (v !== false) o['tty'] = v; } break;
      case 154: { const v = readEnvFromSource(r, r.nested()); const l = o['envFrom'] as unknown[] | undefined; if (l) l.push(v); else o['envFrom'] = [v]; } break;
      case 162: { const v = r.text(); if (v !== '') o['terminationMessagePolicy'] = v; } break;
      case 170: { const v = readVolumeDevice(r, r.nested()); const l = o['volumeDevices'] as unknown[] | undefined; if (l) l.push(v); else o['volumeDevices'] = [v]; } break;
      case 178: o['startupProbe'] = readProbe(r, r.nested()); break;
      case 186: { const v = readContainerResizePolicy(r, r.nested()); const l = o['resizePolicy'] as unknown[] | undefined; if (l) l.push(v); else o['resizePolicy'] = [v]; } break;
      case 194: o['restartPolicy'] = r.text(); break;
      case 202: { const v = readContainerRestartRule(r, r.nested()); const l = o['restartPolicyRules'] as unknown[] | undefined; if (l) l.push(v); else o['restartPolicyRules'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEphemeralContainer(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: readEphemeralContainerCommon(r, r.nested(), o); break;
      case 18: { const v = r.text(); if (v !== '') o['targetContainerName'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodOS(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodSchedulingGate(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodResourceClaim(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 26: o['resourceClaimName'] = r.text(); break;
      case 34: o['resourceClaimTemplateName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodSchedulingGroup(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['podGroupName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readVolume(r, r.nested()); const l = o['volumes'] as unknown[] | undefined; if (l) l.push(v); else o['volumes'] = [v]; } break;
      case 18: { const v = readContainer(r, r.nested()); const l = o['containers'] as unknown[] | undefined; if (l) l.push(v); else o['containers'] = [v]; } break;
      case 26: { const v = r.text(); if (v !== '') o['restartPolicy'] = v; } break;
      case 32: o['terminationGracePeriodSeconds'] = r.int(); break;
      case 40: o['activeDeadlineSeconds'] = r.int(); break;
      case 50: { const v = r.text(); if (v !== '') o['dnsPolicy'] = v; } break;
      case 58: r.textEntry((o['nodeSelector'] ??= {}) as Fields); break;
      case 66: { const v = r.text(); if (v !== '') o['serviceAccountName'] = v; } break;
      case 74: { const v = r.text(); if (v !== '') o['serviceAccount'] = v; } break;
      case 82: { const v = r.text(); if (v !== '') o['nodeName'] = v; } break;
      case 88: { const v = r.bool(); if (v !== false) o['hostNetwork'] = v; } break;
      case 96: { const v = r.bool(); if (v !== false) o['hostPID'] = v; } break;
      case 104: { const v = r.bool(); if (v !== false) o['hostIPC'] = v; } break;
      case 114: o['securityContext'] = readPodSecurityContext(r, r.nested()); break;
      case 122: { const v = readLocalObjectReference(r, r.nested()); const l = o['imagePullSecrets'] as unknown[] | undefined; if (l) l.push(v); else o['imagePullSecrets'] = [v]; } break;
      case 130: { const v = r.text(); if (v !== '') o['hostname'] = v; } break;
      case 138: { const v = r.text(); if (v !== '') o['subdomain'] = v; } break;
      case 146: o['affinity'] = readAffinity(r, r.nested()); break;
      case 154: { const v = r.text(); if (v !== '') o['schedulerName'] = v; } break;
      case 162: { const v = readContainer(r, r.nested()); const l = o['initContainers'] as unknown[] | undefined; if (l) l.push(v); else o['initContainers'] = [v]; } break;
      case 168: o['automountServiceAccountToken'] = r.bool(); break;
      case 178: { const v = readToleration(r, r.nested()); const l = o['tolerations'] as unknown[] | undefined; if (l) l.push(v); else o['tolerations'] = [v]; } break;
      case 186: { const v = readHostAlias(r, r.nested()); const l = o['hostAliases'] as unknown[] | undefined; if (l) l.push(v); else o['hostAliases'] = [v]; } break;
      case 194: { const v = r.text(); if (v !== '') o['priorityClassName'] = v; } break;
      case 200: o['priority'] = r.int(); break;
      case 210: o['dnsConfig'] = readPodDNSConfig(r, r.nested()); break;
      case 216: o['shareProcessNamespace'] = r.bool(); break;
      case 226: { const v = readPodReadinessGate(r, r.nested()); const l = o['readinessGates'] as unknown[] | undefined; if (l) l.push(v); else o['readinessGates'] = [v]; } break;
      case 234: o['runtimeClassName'] = r.text(); break;
      case 240: o['enableServiceLinks'] = r.bool(); break;
      case 250: o['preemptionPolicy'] = r.text(); break;
      case 258: r.entry((o['overhead'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 266: { const v = readTopologySpreadConstraint(r, r.nested()); const l = o['topologySpreadConstraints'] as unknown[] | undefined; if (l) l.push(v); else o['topologySpreadConstraints'] = [v]; } break;
      case 274: { const v = readEphemeralContainer(r, r.nested()); const l = o['ephemeralContainers'] as unknown[] | undefined; if (l) l.push(v); else o['ephemeralContainers'] = [v]; } break;
      case 280: o['setHostnameAsFQDN'] = r.bool(); break;
      case 290: o['os'] = readPodOS(r, r.nested()); break;
      case 296: o['hostUsers'] = r.bool(); break;
      case 306: { const v = readPodSchedulingGate(r, r.nested()); const l = o['schedulingGates'] as unknown[] | undefined; if (l) l.push(v); else o['schedulingGates'] = [v]; } break;
      case 314: { const v = readPodResourceClaim(r, r.nested()); const l = o['resourceClaims'] as unknown[] | undefined; if (l) l.push(v); else o['resourceClaims'] = [v]; } break;
      case 322: o['resources'] = readResourceRequirements(r, r.nested()); break;
      case 330: o['hostnameOverride'] = r.text(); break;
      case 346: o['schedulingGroup'] = readPodSchedulingGroup(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodCondition(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['status'] = r.text(); break;
      case 26: { const v = r.time(); if (v !== undefined) o['lastProbeTime'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastTransitionTime'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 56: { const v = r.int(); if (v !== 0) o['observedGeneration'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerStateWaiting(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerStateRunning(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.time(); if (v !== undefined) o['startedAt'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerStateTerminated(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['exitCode'] = r.int(); break;
      case 16: { const v = r.int(); if (v !== 0) o['signal'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 42: { const v = r.time(); if (v !== undefined) o['startedAt'] = v; } break;
      case 50: { const v = r.time(); if (v !== undefined) o['finishedAt'] = v; } break;
      case 58: { const v = r.text(); if (v !== '') o['containerID'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerState(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['waiting'] = readContainerStateWaiting(r, r.nested()); break;
      case 18: o['running'] = readContainerStateRunning(r, r.nested()); break;
      case 26: o['terminated'] = readContainerStateTerminated(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readImageVolumeStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['imageRef'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['image'] = readImageVolumeStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeMountStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['mountPath'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: o['recursiveReadOnly'] = r.text(); break;
      case 42: o['volumeStatus'] = readVolumeStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLinuxContainerUser(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['uid'] = r.int(); break;
      case 16: o['gid'] = r.int(); break;
      case 24: { const v = r.int(); const l = o['supplementalGroups'] as unknown[] | undefined; if (l) l.push(v); else o['supplementalGroups'] = [v]; } break; case 26: { const l = (o['supplementalGroups'] ??= []) as unknown[]; for (const e = r.nested(); r.position < e; ) l.push(r.int()); } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerUser(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['linux'] = readLinuxContainerUser(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceHealth(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['resourceID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['health'] = v; } break;
      case 50: o['message'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: { const v = readResourceHealth(r, r.nested()); const l = o['resources'] as unknown[] | undefined; if (l) l.push(v); else o['resources'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['state'] = readContainerState(r, r.nested()); break;
      case 26: o['lastState'] = readContainerState(r, r.nested()); break;
      case 32: o['ready'] = r.bool(); break;
      case 40: o['restartCount'] = r.int(); break;
      case 50: o['image'] = r.text(); break;
      case 58: o['imageID'] = r.text(); break;
      case 66: { const v = r.text(); if (v !== '') o['containerID'] = v; } break;
      case 72: o['started'] = r.bool(); break;
      case 82: r.entry((o['allocatedResources'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 90: o['resources'] = readResourceRequirements(r, r.nested()); break;
      case 98: { const v = readVolumeMountStatus(r, r.nested()); const l = o['volumeMounts'] as unknown[] | undefined; if (l) l.push(v); else o['volumeMounts'] = [v]; } break;
      case 106: o['user'] = readContainerUser(r, r.nested()); break;
      case 114: { const v = readResourceStatus(r, r.nested()); const l = o['allocatedResourcesStatus'] as unknown[] | undefined; if (l) l.push(v); else o['allocatedResourcesStatus'] = [v]; } break;
      case 122: o['stopSignal'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodIP(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['ip'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodResourceClaimStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['resourceClaimName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readHostIP(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['ip'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerExtendedResourceRequest(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['containerName'] = r.text(); break;
      case 18: o['resourceName'] = r.text(); break;
      case 26: o['requestName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodExtendedResourceClaimStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readContainerExtendedResourceRequest(r, r.nested()); const l = o['requestMappings'] as unknown[] | undefined; if (l) l.push(v); else o['requestMappings'] = [v]; } break;
      case 18: o['resourceClaimName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeAllocatableResourceClaimStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['resourceClaimName'] = r.text(); break;
      case 18: { const v = r.text(); const l = o['containers'] as unknown[] | undefined; if (l) l.push(v); else o['containers'] = [v]; } break;
      case 26: r.entry((o['resources'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['phase'] = v; } break;
      case 18: { const v = readPodCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      case 26: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['hostIP'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['podIP'] = v; } break;
      case 58: { const v = r.time(); if (v !== undefined) o['startTime'] = v; } break;
      case 66: { const v = readContainerStatus(r, r.nested()); const l = o['containerStatuses'] as unknown[] | undefined; if (l) l.push(v); else o['containerStatuses'] = [v]; } break;
      case 74: { const v = r.text(); if (v !== '') o['qosClass'] = v; } break;
      case 82: { const v = readContainerStatus(r, r.nested()); const l = o['initContainerStatuses'] as unknown[] | undefined; if (l) l.push(v); else o['initContainerStatuses'] = [v]; } break;
      case 90: { const v = r.text(); if (v !== '') o['nominatedNodeName'] = v; } break;
      case 98: { const v = readPodIP(r, r.nested()); const l = o['podIPs'] as unknown[] | undefined; if (l) l.push(v); else o['podIPs'] = [v]; } break;
      case 106: { const v = readContainerStatus(r, r.nested()); const l = o['ephemeralContainerStatuses'] as unknown[] | undefined; if (l) l.push(v); else o['ephemeralContainerStatuses'] = [v]; } break;
      case 114: { const v = r.text(); if (v !== '') o['resize'] = v; } break;
      case 122: { const v = readPodResourceClaimStatus(r, r.nested()); const l = o['resourceClaimStatuses'] as unknown[] | undefined; if (l) l.push(v); else o['resourceClaimStatuses'] = [v]; } break;
      case 130: { const v = readHostIP(r, r.nested()); const l = o['hostIPs'] as unknown[] | undefined; if (l) l.push(v); else o['hostIPs'] = [v]; } break;
      case 136: { const v = r.int(); if (v !== 0) o['observedGeneration'] = v; } break;
      case 146: o['extendedResourceClaimStatus'] = readPodExtendedResourceClaimStatus(r, r.nested()); break;
      case 154: r.entry((o['allocatedResources'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 162: o['resources'] = readResourceRequirements(r, r.nested()); break;
      case 170: { const v = readNodeAllocatableResourceClaimStatus(r, r.nested()); const l = o['nodeAllocatableResourceClaimStatuses'] as unknown[] | undefined; if (l) l.push(v); else o['nodeAllocatableResourceClaimStatuses'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPod(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readPodSpec(r, r.nested()); break;
      case 26: o['status'] = readPodStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTaint(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['key'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['value'] = v; } break;
      case 26: o['effect'] = r.text(); break;
      case 34: { const v = r.time(); if (v !== undefined) o['timeAdded'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMapNodeConfigSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['namespace'] = r.text(); break;
      case 18: o['name'] = r.text(); break;
      case 26: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['resourceVersion'] = v; } break;
      case 42: o['kubeletConfigKey'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeConfigSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 18: o['configMap'] = readConfigMapNodeConfigSource(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['podCIDR'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['externalID'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['providerID'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['unschedulable'] = v; } break;
      case 42: { const v = readTaint(r, r.nested()); const l = o['taints'] as unknown[] | undefined; if (l) l.push(v); else o['taints'] = [v]; } break;
      case 50: o['configSource'] = readNodeConfigSource(r, r.nested()); break;
      case 58: { const v = r.text(); const l = o['podCIDRs'] as unknown[] | undefined; if (l) l.push(v); else o['podCIDRs'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeCondition(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['status'] = r.text(); break;
      case 26: { const v = r.time(); if (v !== undefined) o['lastHeartbeatTime'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastTransitionTime'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeAddress(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['address'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readDaemonEndpoint(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['Port'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeDaemonEndpoints(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['kubeletEndpoint'] = readDaemonEndpoint(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSwapStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['capacity'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeSystemInfo(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['machineID'] = r.text(); break;
      case 18: o['systemUUID'] = r.text(); break;
      case 26: o['bootID'] = r.text(); break;
      case 34: o['kernelVersion'] = r.text(); break;
      case 42: o['osImage'] = r.text(); break;
      case 50: o['containerRuntimeVersion'] = r.text(); break;
      case 58: o['kubeletVersion'] = r.text(); break;
      case 66: o['kubeProxyVersion'] = r.text(); break;
      case 74: o['operatingSystem'] = r.text(); break;
      case 82: o['architecture'] = r.text(); break;
      case 90: o['swap'] = readNodeSwapStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readContainerImage(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['names'] as unknown[] | undefined; if (l) l.push(v); else o['names'] = [v]; } break;
      case 16: { const v = r.int(); if (v !== 0) o['sizeBytes'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAttachedVolume(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['devicePath'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeConfigStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['assigned'] = readNodeConfigSource(r, r.nested()); break;
      case 18: o['active'] = readNodeConfigSource(r, r.nested()); break;
      case 26: o['lastKnownGood'] = readNodeConfigSource(r, r.nested()); break;
      case 34: { const v = r.text(); if (v !== '') o['error'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeRuntimeHandlerFeatures(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['recursiveReadOnlyMounts'] = r.bool(); break;
      case 16: o['userNamespaces'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeRuntimeHandler(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['features'] = readNodeRuntimeHandlerFeatures(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeFeatures(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['supplementalGroupsPolicy'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNodeStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.entry((o['capacity'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 18: r.entry((o['allocatable'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 26: { const v = r.text(); if (v !== '') o['phase'] = v; } break;
      case 34: { const v = readNodeCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      case 42: { const v = readNodeAddress(r, r.nested()); const l = o['addresses'] as unknown[] | undefined; if (l) l.push(v); else o['addresses'] = [v]; } break;
      case 50: o['daemonEndpoints'] = readNodeDaemonEndpoints(r, r.nested()); break;
      case 58: o['nodeInfo'] = readNodeSystemInfo(r, r.nested()); break;
      case 66: { const v = readContainerImage(r, r.nested()); const l = o['images'] as unknown[] | undefined; if (l) l.push(v); else o['images'] = [v]; } break;
      case 74: { const v = r.text(); const l = o['volumesInUse'] as unknown[] | undefined; if (l) l.push(v); else o['volumesInUse'] = [v]; } break;
      case 82: { const v = readAttachedVolume(r, r.nested()); const l = o['volumesAttached'] as unknown[] | undefined; if (l) l.push(v); else o['volumesAttached'] = [v]; } break;
      case 90: o['config'] = readNodeConfigStatus(r, r.nested()); break;
      case 98: { const v = readNodeRuntimeHandler(r, r.nested()); const l = o['runtimeHandlers'] as unknown[] | undefined; if (l) l.push(v); else o['runtimeHandlers'] = [v]; } break;
      case 106: o['features'] = readNodeFeatures(r, r.nested()); break;
      case 114: { const v = r.text(); const l = o['declaredFeatures'] as unknown[] | undefined; if (l) l.push(v); else o['declaredFeatures'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNode(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readNodeSpec(r, r.nested()); break;
      case 26: o['status'] = readNodeStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readServicePort(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['protocol'] = v; } break;
      case 24: o['port'] = r.int(); break;
      case 34: o['targetPort'] = r.intOrString(); break;
      case 40: { const v = r.int(); if (v !== 0) o['nodePort'] = v; } break;
      case 50: o['appProtocol'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readClientIPConfig(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['timeoutSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSessionAffinityConfig(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['clientIP'] = readClientIPConfig(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readServiceSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readServicePort(r, r.nested()); const l = o['ports'] as unknown[] | undefined; if (l) l.push(v); else o['ports'] = [v]; } break;
      case 18: r.textEntry((o['selector'] ??= {}) as Fields); break;
      case 26: { const v = r.text(); if (v !== '') o['clusterIP'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['type'] = v; } break;
      case 42: { const v = r.text(); const l = o['externalIPs'] as unknown[] | undefined; if (l) l.push(v); else o['externalIPs'] = [v]; } break;
      case 58: { const v = r.text(); if (v !== '') o['sessionAffinity'] = v; } break;
      case 66: { const v = r.text(); if (v !== '') o['loadBalancerIP'] = v; } break;
      case 74: { const v = r.text(); const l = o['loadBalancerSourceRanges'] as unknown[] | undefined; if (l) l.push(v); else o['loadBalancerSourceRanges'] = [v]; } break;
      case 82: { const v = r.text(); if (v !== '') o['externalName'] = v; } break;
      case 90: { const v = r.text(); if (v !== '') o['externalTrafficPolicy'] = v; } break;
      case 96: { const v = r.int(); if (v !== 0) o['healthCheckNodePort'] = v; } break;
      case 104: { const v = r.bool(); if (v !== false) o['publishNotReadyAddresses'] = v; } break;
      case 114: o['sessionAffinityConfig'] = readSessionAffinityConfig(r, r.nested()); break;
      case 138: o['ipFamilyPolicy'] = r.text(); break;
      case 146: { const v = r.text(); const l = o['clusterIPs'] as unknown[] | undefined; if (l) l.push(v); else o['clusterIPs'] = [v]; } break;
      case 154: { const v = r.text(); const l = o['ipFamilies'] as unknown[] | undefined; if (l) l.push(v); else o['ipFamilies'] = [v]; } break;
      case 160: o['allocateLoadBalancerNodePorts'] = r.bool(); break;
      case 170: o['loadBalancerClass'] = r.text(); break;
      case 178: o['internalTrafficPolicy'] = r.text(); break;
      case 186: o['trafficDistribution'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPortStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['port'] = r.int(); break;
      case 18: o['protocol'] = r.text(); break;
      case 26: o['error'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLoadBalancerIngress(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['ip'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['hostname'] = v; } break;
      case 26: o['ipMode'] = r.text(); break;
      case 34: { const v = readPortStatus(r, r.nested()); const l = o['ports'] as unknown[] | undefined; if (l) l.push(v); else o['ports'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLoadBalancerStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readLoadBalancerIngress(r, r.nested()); const l = o['ingress'] as unknown[] | undefined; if (l) l.push(v); else o['ingress'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCondition(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['status'] = r.text(); break;
      case 24: { const v = r.int(); if (v !== 0) o['observedGeneration'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastTransitionTime'] = v; } break;
      case 42: o['reason'] = r.text(); break;
      case 50: o['message'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readServiceStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['loadBalancer'] = readLoadBalancerStatus(r, r.nested()); break;
      case 18: { const v = readCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readService(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readServiceSpec(r, r.nested()); break;
      case 26: o['status'] = readServiceStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readConfigMap(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: r.textEntry((o['data'] ??= {}) as Fields); break;
      case 26: r.entry((o['binaryData'] ??= {}) as Fields, '', (m) => m.base64()); break;
      case 32: o['immutable'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecret(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: r.entry((o['data'] ??= {}) as Fields, '', (m) => m.base64()); break;
      case 26: { const v = r.text(); if (v !== '') o['type'] = v; } break;
      case 34: r.textEntry((o['stringData'] ??= {}) as Fields); break;
      case 40: o['immutable'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readObjectReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['kind'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['namespace'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['apiVersion'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['resourceVersion'] = v; } break;
      case 58: { const v = r.text(); if (v !== '') o['fieldPath'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readServiceAccount(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: { const v = readObjectReference(r, r.nested()); const l = o['secrets'] as unknown[] | undefined; if (l) l.push(v); else o['secrets'] = [v]; } break;
      case 26: { const v = readLocalObjectReference(r, r.nested()); const l = o['imagePullSecrets'] as unknown[] | undefined; if (l) l.push(v); else o['imagePullSecrets'] = [v]; } break;
      case 32: o['automountServiceAccountToken'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readGlusterfsPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['endpoints'] = r.text(); break;
      case 18: o['path'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: o['endpointsNamespace'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSecretReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['namespace'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readRBDPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['monitors'] as unknown[] | undefined; if (l) l.push(v); else o['monitors'] = [v]; } break;
      case 18: o['image'] = r.text(); break;
      case 26: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['pool'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['keyring'] = v; } break;
      case 58: o['secretRef'] = readSecretReference(r, r.nested()); break;
      case 64: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readISCSIPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['targetPortal'] = r.text(); break;
      case 18: o['iqn'] = r.text(); break;
      case 24: o['lun'] = r.int(); break;
      case 34: { const v = r.text(); if (v !== '') o['iscsiInterface'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 48: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 58: { const v = r.text(); const l = o['portals'] as unknown[] | undefined; if (l) l.push(v); else o['portals'] = [v]; } break;
      case 64: { const v = r.bool(); if (v !== false) o['chapAuthDiscovery'] = v; } break;
      case 82: o['secretRef'] = readSecretReference(r, r.nested()); break;
      case 88: { const v = r.bool(); if (v !== false) o['chapAuthSession'] = v; } break;
      case 98: o['initiatorName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCinderPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['volumeID'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: o['secretRef'] = readSecretReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCephFSPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['monitors'] as unknown[] | undefined; if (l) l.push(v); else o['monitors'] = [v]; } break;
      case 18: { const v = r.text(); if (v !== '') o['path'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['secretFile'] = v; } break;
      case 42: o['secretRef'] = readSecretReference(r, r.nested()); break;
      case 48: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFlexPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['driver'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 26: o['secretRef'] = readSecretReference(r, r.nested()); break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 42: r.textEntry((o['options'] ??= {}) as Fields); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readAzureFilePersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['secretName'] = r.text(); break;
      case 18: o['shareName'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: o['secretNamespace'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readScaleIOPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['gateway'] = r.text(); break;
      case 18: o['system'] = r.text(); break;
      case 26: o['secretRef'] = readSecretReference(r, r.nested()); break;
      case 32: { const v = r.bool(); if (v !== false) o['sslEnabled'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['protectionDomain'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['storagePool'] = v; } break;
      case 58: { const v = r.text(); if (v !== '') o['storageMode'] = v; } break;
      case 66: { const v = r.text(); if (v !== '') o['volumeName'] = v; } break;
      case 74: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 80: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLocalVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['path'] = r.text(); break;
      case 18: o['fsType'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readStorageOSPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['volumeName'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['volumeNamespace'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 42: o['secretRef'] = readObjectReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSIPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['driver'] = r.text(); break;
      case 18: o['volumeHandle'] = r.text(); break;
      case 24: { const v = r.bool(); if (v !== false) o['readOnly'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['fsType'] = v; } break;
      case 42: r.textEntry((o['volumeAttributes'] ??= {}) as Fields); break;
      case 50: o['controllerPublishSecretRef'] = readSecretReference(r, r.nested()); break;
      case 58: o['nodeStageSecretRef'] = readSecretReference(r, r.nested()); break;
      case 66: o['nodePublishSecretRef'] = readSecretReference(r, r.nested()); break;
      case 74: o['controllerExpandSecretRef'] = readSecretReference(r, r.nested()); break;
      case 82: o['nodeExpandSecretRef'] = readSecretReference(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['gcePersistentDisk'] = readGCEPersistentDiskVolumeSource(r, r.nested()); break;
      case 18: o['awsElasticBlockStore'] = readAWSElasticBlockStoreVolumeSource(r, r.nested()); break;
      case 26: o['hostPath'] = readHostPathVolumeSource(r, r.nested()); break;
      case 34: o['glusterfs'] = readGlusterfsPersistentVolumeSource(r, r.nested()); break;
      case 42: o['nfs'] = readNFSVolumeSource(r, r.nested()); break;
      case 50: o['rbd'] = readRBDPersistentVolumeSource(r, r.nested()); break;
      case 58: o['iscsi'] = readISCSIPersistentVolumeSource(r, r.nested()); break;
      case 66: o['cinder'] = readCinderPersistentVolumeSource(r, r.nested()); break;
      case 74: o['cephfs'] = readCephFSPersistentVolumeSource(r, r.nested()); break;
      case 82: o['fc'] = readFCVolumeSource(r, r.nested()); break;
      case 90: o['flocker'] = readFlockerVolumeSource(r, r.nested()); break;
      case 98: o['flexVolume'] = readFlexPersistentVolumeSource(r, r.nested()); break;
      case 106: o['azureFile'] = readAzureFilePersistentVolumeSource(r, r.nested()); break;
      case 114: o['vsphereVolume'] = readVsphereVirtualDiskVolumeSource(r, r.nested()); break;
      case 122: o['quobyte'] = readQuobyteVolumeSource(r, r.nested()); break;
      case 130: o['azureDisk'] = readAzureDiskVolumeSource(r, r.nested()); break;
      case 138: o['photonPersistentDisk'] = readPhotonPersistentDiskVolumeSource(r, r.nested()); break;
      case 146: o['portworxVolume'] = readPortworxVolumeSource(r, r.nested()); break;
      case 154: o['scaleIO'] = readScaleIOPersistentVolumeSource(r, r.nested()); break;
      case 162: o['local'] = readLocalVolumeSource(r, r.nested()); break;
      case 170: o['storageos'] = readStorageOSPersistentVolumeSource(r, r.nested()); break;
      case 178: o['csi'] = readCSIPersistentVolumeSource(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeNodeAffinity(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['required'] = readNodeSelector(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.entry((o['capacity'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 18: readPersistentVolumeSource(r, r.nested(), o); break;
      case 26: { const v = r.text(); const l = o['accessModes'] as unknown[] | undefined; if (l) l.push(v); else o['accessModes'] = [v]; } break;
      case 34: o['claimRef'] = readObjectReference(r, r.nested()); break;
      case 42: { const v = r.text(); if (v !== '') o['persistentVolumeReclaimPolicy'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['storageClassName'] = v; } break;
      case 58: { const v = r.text(); const l = o['mountOptions'] as unknown[] | undefined; if (l) l.push(v); else o['mountOptions'] = [v]; } break;
      case 66: o['volumeMode'] = r.text(); break;
      case 74: o['nodeAffinity'] = readVolumeNodeAffinity(r, r.nested()); break;
      case 82: o['volumeAttributesClassName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['phase'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastPhaseTransitionTime'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolume(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readPersistentVolumeSpec(r, r.nested()); break;
      case 26: o['status'] = readPersistentVolumeStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaimCondition(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: o['status'] = r.text(); break;
      case 26: { const v = r.time(); if (v !== undefined) o['lastProbeTime'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastTransitionTime'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readModifyVolumeStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['targetVolumeAttributesClassName'] = v; } break;
      case 18: o['status'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaimStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['phase'] = v; } break;
      case 18: { const v = r.text(); const l = o['accessModes'] as unknown[] | undefined; if (l) l.push(v); else o['accessModes'] = [v]; } break;
      case 26: r.entry((o['capacity'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 34: { const v = readPersistentVolumeClaimCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      case 42: r.entry((o['allocatedResources'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      case 58: r.textEntry((o['allocatedResourceStatuses'] ??= {}) as Fields); break;
      case 66: o['currentVolumeAttributesClassName'] = r.text(); break;
      case 74: o['modifyVolumeStatus'] = readModifyVolumeStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPersistentVolumeClaim(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readPersistentVolumeClaimSpec(r, r.nested()); break;
      case 26: o['status'] = readPersistentVolumeClaimStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEventSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['component'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['host'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEventSeries(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: { const v = r.int(); if (v !== 0) o['count'] = v; } break;
      case 18: { const v = r.microTime(); if (v !== undefined) o['lastObservedTime'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readEvent(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['involvedObject'] = readObjectReference(r, r.nested()); break;
      case 26: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 42: o['source'] = readEventSource(r, r.nested()); break;
      case 50: { const v = r.time(); if (v !== undefined) o['firstTimestamp'] = v; } break;
      case 58: { const v = r.time(); if (v !== undefined) o['lastTimestamp'] = v; } break;
      case 64: { const v = r.int(); if (v !== 0) o['count'] = v; } break;
      case 74: { const v = r.text(); if (v !== '') o['type'] = v; } break;
      case 82: { const v = r.microTime(); if (v !== undefined) o['eventTime'] = v; } break;
      case 90: o['series'] = readEventSeries(r, r.nested()); break;
      case 98: { const v = r.text(); if (v !== '') o['action'] = v; } break;
      case 106: o['related'] = readObjectReference(r, r.nested()); break;
      case 114: o['reportingComponent'] = r.text(); break;
      case 122: o['reportingInstance'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readShardInfo(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['selector'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readListMeta(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['selfLink'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['resourceVersion'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['continue'] = v; } break;
      case 32: o['remainingItemCount'] = r.int(); break;
      case 42: o['shardInfo'] = readShardInfo(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readStatusCause(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['field'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readStatusDetails(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['group'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['kind'] = v; } break;
      case 34: { const v = readStatusCause(r, r.nested()); const l = o['causes'] as unknown[] | undefined; if (l) l.push(v); else o['causes'] = [v]; } break;
      case 40: { const v = r.int(); if (v !== 0) o['retryAfterSeconds'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readListMeta(r, r.nested()); break;
      case 18: { const v = r.text(); if (v !== '') o['status'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 42: o['details'] = readStatusDetails(r, r.nested()); break;
      case 48: { const v = r.int(); if (v !== 0) o['code'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLeaseSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['holderIdentity'] = r.text(); break;
      case 16: o['leaseDurationSeconds'] = r.int(); break;
      case 26: { const v = r.microTime(); if (v !== undefined) o['acquireTime'] = v; } break;
      case 34: { const v = r.microTime(); if (v !== undefined) o['renewTime'] = v; } break;
      case 40: o['leaseTransitions'] = r.int(); break;
      case 50: o['strategy'] = r.text(); break;
      case 58: o['preferredHolder'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLease(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readLeaseSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readOverhead(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.entry((o['podFixed'] ??= {}) as Fields, '0', (m) => m.quantity()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readScheduling(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: r.textEntry((o['nodeSelector'] ??= {}) as Fields); break;
      case 18: { const v = readToleration(r, r.nested()); const l = o['tolerations'] as unknown[] | undefined; if (l) l.push(v); else o['tolerations'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readRuntimeClass(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['handler'] = r.text(); break;
      case 26: o['overhead'] = readOverhead(r, r.nested()); break;
      case 34: o['scheduling'] = readScheduling(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeNodeResources(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['count'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSINodeDriver(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['name'] = r.text(); break;
      case 18: o['nodeID'] = r.text(); break;
      case 26: { const v = r.text(); const l = o['topologyKeys'] as unknown[] | undefined; if (l) l.push(v); else o['topologyKeys'] = [v]; } break;
      case 34: o['allocatable'] = readVolumeNodeResources(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSINodeSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readCSINodeDriver(r, r.nested()); const l = o['drivers'] as unknown[] | undefined; if (l) l.push(v); else o['drivers'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSINode(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readCSINodeSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSIDriverTokenRequest(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['audience'] = r.text(); break;
      case 16: o['expirationSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSIDriverSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['attachRequired'] = r.bool(); break;
      case 16: o['podInfoOnMount'] = r.bool(); break;
      case 26: { const v = r.text(); const l = o['volumeLifecycleModes'] as unknown[] | undefined; if (l) l.push(v); else o['volumeLifecycleModes'] = [v]; } break;
      case 32: o['storageCapacity'] = r.bool(); break;
      case 42: o['fsGroupPolicy'] = r.text(); break;
      case 50: { const v = readCSIDriverTokenRequest(r, r.nested()); const l = o['tokenRequests'] as unknown[] | undefined; if (l) l.push(v); else o['tokenRequests'] = [v]; } break;
      case 56: o['requiresRepublish'] = r.bool(); break;
      case 64: o['seLinuxMount'] = r.bool(); break;
      case 72: o['nodeAllocatableUpdatePeriodSeconds'] = r.int(); break;
      case 80: o['serviceAccountTokenInSecrets'] = r.bool(); break;
      case 88: o['preventPodSchedulingIfMissing'] = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCSIDriver(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readCSIDriverSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeAttachmentSource(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['persistentVolumeName'] = r.text(); break;
      case 18: o['inlineVolumeSpec'] = readPersistentVolumeSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeAttachmentSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['attacher'] = r.text(); break;
      case 18: o['source'] = readVolumeAttachmentSource(r, r.nested()); break;
      case 26: o['nodeName'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeError(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.time(); if (v !== undefined) o['time'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 24: o['errorCode'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeAttachmentStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['attached'] = r.bool(); break;
      case 18: r.textEntry((o['attachmentMetadata'] ??= {}) as Fields); break;
      case 26: o['attachError'] = readVolumeError(r, r.nested()); break;
      case 34: o['detachError'] = readVolumeError(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readVolumeAttachment(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readVolumeAttachmentSpec(r, r.nested()); break;
      case 26: o['status'] = readVolumeAttachmentStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCertificateSigningRequestSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['request'] = r.base64(); break;
      case 18: { const v = r.text(); if (v !== '') o['username'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      case 34: { const v = r.text(); const l = o['groups'] as unknown[] | undefined; if (l) l.push(v); else o['groups'] = [v]; } break;
      case 42: { const v = r.text(); const l = o['usages'] as unknown[] | undefined; if (l) l.push(v); else o['usages'] = [v]; } break;
      case 50: r.entry((o['extra'] ??= {}) as Fields, [], (m) => m.texts()); break;
      case 58: o['signerName'] = r.text(); break;
      case 64: o['expirationSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCertificateSigningRequestCondition(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['type'] = r.text(); break;
      case 18: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['message'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['lastUpdateTime'] = v; } break;
      case 42: { const v = r.time(); if (v !== undefined) o['lastTransitionTime'] = v; } break;
      case 50: o['status'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCertificateSigningRequestStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readCertificateSigningRequestCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      case 18: { const v = r.base64(); if (v !== '') o['certificate'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readCertificateSigningRequest(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readCertificateSigningRequestSpec(r, r.nested()); break;
      case 26: o['status'] = readCertificateSigningRequestStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readClusterTrustBundleSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['signerName'] = v; } break;
      case 18: o['trustBundle'] = r.text(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readClusterTrustBundle(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readClusterTrustBundleSpec(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodCertificateRequestSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['signerName'] = r.text(); break;
      case 18: o['podName'] = r.text(); break;
      case 26: o['podUID'] = r.text(); break;
      case 34: o['serviceAccountName'] = r.text(); break;
      case 42: o['serviceAccountUID'] = r.text(); break;
      case 50: o['nodeName'] = r.text(); break;
      case 58: o['nodeUID'] = r.text(); break;
      case 64: o['maxExpirationSeconds'] = r.int(); break;
      case 74: o['pkixPublicKey'] = r.base64(); break;
      case 82: o['proofOfPossession'] = r.base64(); break;
      case 90: r.textEntry((o['unverifiedUserAnnotations'] ??= {}) as Fields); break;
      case 98: o['stubPKCS10Request'] = r.base64(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodCertificateRequestStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = readCondition(r, r.nested()); const l = o['conditions'] as unknown[] | undefined; if (l) l.push(v); else o['conditions'] = [v]; } break;
      case 18: { const v = r.text(); if (v !== '') o['certificateChain'] = v; } break;
      case 34: { const v = r.time(); if (v !== undefined) o['notBefore'] = v; } break;
      case 42: { const v = r.time(); if (v !== undefined) o['beginRefreshAt'] = v; } break;
      case 50: { const v = r.time(); if (v !== undefined) o['notAfter'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readPodCertificateRequest(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readPodCertificateRequestSpec(r, r.nested()); break;
      case 26: o['status'] = readPodCertificateRequestStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readBoundObjectReference(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['kind'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['apiVersion'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenRequestSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); const l = o['audiences'] as unknown[] | undefined; if (l) l.push(v); else o['audiences'] = [v]; } break;
      case 26: o['boundObjectRef'] = readBoundObjectReference(r, r.nested()); break;
      case 32: o['expirationSeconds'] = r.int(); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenRequestStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['token'] = r.text(); break;
      case 18: { const v = r.time(); if (v !== undefined) o['expirationTimestamp'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenRequest(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readTokenRequestSpec(r, r.nested()); break;
      case 26: o['status'] = readTokenRequestStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenReviewSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['token'] = v; } break;
      case 18: { const v = r.text(); const l = o['audiences'] as unknown[] | undefined; if (l) l.push(v); else o['audiences'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readUserInfo(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['username'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      case 26: { const v = r.text(); const l = o['groups'] as unknown[] | undefined; if (l) l.push(v); else o['groups'] = [v]; } break;
      case 34: r.entry((o['extra'] ??= {}) as Fields, [], (m) => m.texts()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenReviewStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: { const v = r.bool(); if (v !== false) o['authenticated'] = v; } break;
      case 18: o['user'] = readUserInfo(r, r.nested()); break;
      case 26: { const v = r.text(); if (v !== '') o['error'] = v; } break;
      case 34: { const v = r.text(); const l = o['audiences'] as unknown[] | undefined; if (l) l.push(v); else o['audiences'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readTokenReview(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readTokenReviewSpec(r, r.nested()); break;
      case 26: o['status'] = readTokenReviewStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFieldSelectorRequirement(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['key'] = r.text(); break;
      case 18: o['operator'] = r.text(); break;
      case 26: { const v = r.text(); const l = o['values'] as unknown[] | undefined; if (l) l.push(v); else o['values'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readFieldSelectorAttributes(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['rawSelector'] = v; } break;
      case 18: { const v = readFieldSelectorRequirement(r, r.nested()); const l = o['requirements'] as unknown[] | undefined; if (l) l.push(v); else o['requirements'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readLabelSelectorAttributes(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['rawSelector'] = v; } break;
      case 18: { const v = readLabelSelectorRequirement(r, r.nested()); const l = o['requirements'] as unknown[] | undefined; if (l) l.push(v); else o['requirements'] = [v]; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readResourceAttributes(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['namespace'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['verb'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['group'] = v; } break;
      case 34: { const v = r.text(); if (v !== '') o['version'] = v; } break;
      case 42: { const v = r.text(); if (v !== '') o['resource'] = v; } break;
      case 50: { const v = r.text(); if (v !== '') o['subresource'] = v; } break;
      case 58: { const v = r.text(); if (v !== '') o['name'] = v; } break;
      case 66: o['fieldSelector'] = readFieldSelectorAttributes(r, r.nested()); break;
      case 74: o['labelSelector'] = readLabelSelectorAttributes(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readNonResourceAttributes(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: { const v = r.text(); if (v !== '') o['path'] = v; } break;
      case 18: { const v = r.text(); if (v !== '') o['verb'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSubjectAccessReviewSpec(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['resourceAttributes'] = readResourceAttributes(r, r.nested()); break;
      case 18: o['nonResourceAttributes'] = readNonResourceAttributes(r, r.nested()); break;
      case 26: { const v = r.text(); if (v !== '') o['user'] = v; } break;
      case 34: { const v = r.text(); const l = o['groups'] as unknown[] | undefined; if (l) l.push(v); else o['groups'] = [v]; } break;
      case 42: r.entry((o['extra'] ??= {}) as Fields, [], (m) => m.texts()); break;
      case 50: { const v = r.text(); if (v !== '') o['uid'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSubjectAccessReviewStatus(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 8: o['allowed'] = r.bool(); break;
      case 18: { const v = r.text(); if (v !== '') o['reason'] = v; } break;
      case 26: { const v = r.text(); if (v !== '') o['evaluationError'] = v; } break;
      case 32: { const v = r.bool(); if (v !== false) o['denied'] = v; } break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

function readSubjectAccessReview(r: ProtobufReader, end: number, o: Fields = {}): Fields {
  while (r.position < end) {
    const tag = r.tag();
    switch (tag) {
      case 10: o['metadata'] = readObjectMeta(r, r.nested()); break;
      case 18: o['spec'] = readSubjectAccessReviewSpec(r, r.nested()); break;
      case 26: o['status'] = readSubjectAccessReviewStatus(r, r.nested()); break;
      default: r.skip(tag);
    }
  }
  r.ended(end);
  return o;
}

/** By `<apiVersion>/<kind>`. */
export const decoders: ReadonlyMap<string, ReadMessage> = new Map([
  ['v1/Pod', readPod],
  ['v1/Node', readNode],
  ['v1/Service', readService],
  ['v1/ConfigMap', readConfigMap],
  ['v1/Secret', readSecret],
  ['v1/ServiceAccount', readServiceAccount],
  ['v1/PersistentVolume', readPersistentVolume],
  ['v1/PersistentVolumeClaim', readPersistentVolumeClaim],
  ['v1/Event', readEvent],
  ['v1/Status', readStatus],
  ['ListMeta', readListMeta],
  ['coordination.k8s.io/v1/Lease', readLease],
  ['node.k8s.io/v1/RuntimeClass', readRuntimeClass],
  ['storage.k8s.io/v1/CSINode', readCSINode],
  ['storage.k8s.io/v1/CSIDriver', readCSIDriver],
  ['storage.k8s.io/v1/VolumeAttachment', readVolumeAttachment],
  ['certificates.k8s.io/v1/CertificateSigningRequest', readCertificateSigningRequest],
  ['certificates.k8s.io/v1beta1/ClusterTrustBundle', readClusterTrustBundle],
  ['certificates.k8s.io/v1beta1/PodCertificateRequest', readPodCertificateRequest],
  ['authentication.k8s.io/v1/TokenRequest', readTokenRequest],
  ['authentication.k8s.io/v1/TokenReview', readTokenReview],
  ['authorization.k8s.io/v1/SubjectAccessReview', readSubjectAccessReview],
]);
