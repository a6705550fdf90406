import { join } from 'node:path';
import { describeContainerRuntime } from '../support/container-runtime-contract.ts';
import { startContainerd } from '../support/containerd/start-containerd.ts';
import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';

describeContainerRuntime('containerd', async () => {
  const containerd = await startContainerd();
  return {
    cri: containerd.cri,
    image: BUSYBOX_IMAGE,
    imageAbsent: 'registry.invalid/absent:1',
    logRoot: join(containerd.dir, 'pod-logs'),
    close: () => containerd.stop(),
  };
});
