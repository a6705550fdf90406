import { describe, expect, it } from 'vitest';
import { releaseUserNamespace, userNamespaceIds } from '../../../src/pod/sync/user-namespace.ts';
import { MemoryFiles } from '../../simulation/node/memory-files.ts';

const place = (uid: string) => ({ rootDir: '/root', uid });

describe("the ID range of a pod's user namespace", () => {
  it("has 65,536 IDs above the host's, and is saved in the kubelet's format", () => {
    const files = new MemoryFiles();
    const ids = userNamespaceIds(files, place('a'));
    expect(ids).toMatchObject({ length: 65_536 });
    expect(ids?.firstHostId).toBeGreaterThanOrEqual(65_536);
    expect((ids?.firstHostId ?? 1) % 65_536).toBe(0);
    const mapping = [{ hostId: ids?.firstHostId, containerId: 0, length: 65_536 }];
    expect(JSON.parse(files.read('/root/pods/a/userns') ?? '')).toEqual({ uidMappings: mapping, gidMappings: mapping });
  });

  it('is stable, also after an agent that died between its two steps', () => {
    const files = new MemoryFiles();
    const ids = userNamespaceIds(files, place('a'));
    expect(userNamespaceIds(files, place('a'))).toEqual(ids);
    files.removeEntry('/root/pods/a', 'userns');
    expect(userNamespaceIds(files, place('a'))).toEqual(ids);
    files.writeFile('/root/pods/a/userns', '{"uidMap');
    expect(userNamespaceIds(files, place('a'))).toEqual(ids);
  });

  it('is taken over from a kubelet', () => {
    const files = new MemoryFiles();
    files.writeFile('/root/pods/a/userns', '{"uidMappings":[{"hostId":131072,"containerId":0,"length":65536}]}');
    expect(userNamespaceIds(files, place('a'))).toEqual({ firstHostId: 131_072, length: 65_536 });
  });

  it("never overlaps another pod's, and is free again once the pod is gone", () => {
    const files = new MemoryFiles();
    const uids = Array.from({ length: 4_096 }, (_, index) => `pod-${index}`);
    const blocks = uids.map((uid) => userNamespaceIds(files, place(uid))?.firstHostId);
    expect(new Set(blocks).size).toBe(4_096);
    expect(userNamespaceIds(files, place('one-too-many'))).toBeUndefined();
    releaseUserNamespace(files, place('pod-7'));
    expect(userNamespaceIds(files, place('one-too-many'))?.firstHostId).toBe(blocks[7]);
  });
});
