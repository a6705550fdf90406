import { FakePodFiles } from './fake-pod-files.ts';

/** A disk with files in it, on which a file takes another's place. */
export class MovingPodFiles extends FakePodFiles {
  rename(from: string, to: string): void {
    const file = this.files.get(from);
    if (file === undefined) throw new Error(`${from} is not there`);
    this.files.delete(from);
    this.files.set(to, file);
  }

  override removeEntry(directory: string, name: string): void {
    this.files.delete(`${directory}/${name}`);
  }
}
