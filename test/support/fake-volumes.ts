import type { ContainerStart, VolumeCalls } from '../../actors/volume-manager/client.ts';
import type { VolumesAnswer } from '../../actors/volume-manager/protocol.ts';
import type { PodVolumes } from '../../src/volumes/plan/volume-plan.ts';

/** A volume manager controlled by the test. */
export class FakeVolumes implements VolumeCalls {
  readonly mounted: PodVolumes[] = [];
  readonly unmounted: string[] = [];
  readonly bound: Parameters<VolumeCalls['bind']>[0][] = [];
  readonly files = new Map<string, string>();
  readonly wanted: PodVolumes[] = [];
  mountAnswer: Promise<VolumesAnswer> | VolumesAnswer = { ok: true };
  bindAnswer: VolumesAnswer = { ok: true };
  unmountAnswer: VolumesAnswer = { ok: true };

  async mount(pod: PodVolumes): Promise<VolumesAnswer> {
    this.mounted.push(pod);
    return this.mountAnswer;
  }

  /** Containers whose content is held now. */
  readonly held = new Set<string>();
  readonly released: string[] = [];
  holdAnswer: Promise<VolumesAnswer> | VolumesAnswer = { ok: true };

  async holdContent({ container }: ContainerStart): Promise<VolumesAnswer> {
    this.held.add(container);
    return this.holdAnswer;
  }

  releaseContent({ container }: ContainerStart): void {
    this.held.delete(container);
    this.released.push(container);
  }

  async bind(parts: Parameters<VolumeCalls['bind']>[0]): Promise<VolumesAnswer> {
    this.bound.push(parts);
    return this.bindAnswer;
  }

  readFile({ volumeHostPath, path }: { readonly volumeHostPath: string; readonly path: string }): string | undefined {
    return this.files.get(`${volumeHostPath}/${path}`);
  }

  async unmount(uid: string): Promise<VolumesAnswer> {
    this.unmounted.push(uid);
    return this.unmountAnswer;
  }

  want(pod: PodVolumes): void {
    this.wanted.push(pod);
  }
}
