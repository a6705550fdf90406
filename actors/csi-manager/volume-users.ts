/** The pods that use each volume. When the last pod has left, the volume is unstaged from the node. */
export class VolumeUsers {
  readonly #users = new Map<string, Map<string, VolumeUser>>();

  add(volume: VolumeKey, user: VolumeUser): void {
    const key = keyOf(volume);
    const users = this.#users.get(key) ?? new Map<string, VolumeUser>();
    this.#users.set(key, users.set(`${user.podUid}/${user.specName}`, user));
  }

  /** Returns `true` if a known user still has the volume. Users found without the volume on the way are forgotten. */
  isUsed(volume: VolumeKey, hasIt: (user: VolumeUser) => boolean): boolean {
    const users = this.#users.get(keyOf(volume));
    for (const [name, user] of users ?? []) {
      if (hasIt(user)) return true;
      users?.delete(name);
    }
    this.#users.delete(keyOf(volume));
    return false;
  }

  /** Returns `true` if a pod other than this one has the volume. */
  isUsedByOthers(
    volume: VolumeKey,
    { podUid }: Pick<VolumeUser, 'podUid'>,
    hasIt: (user: VolumeUser) => boolean,
  ): boolean {
    return [...(this.#users.get(keyOf(volume))?.values() ?? [])].some((user) => user.podUid !== podUid && hasIt(user));
  }
}

export interface VolumeKey {
  readonly driver: string;
  readonly handle: string;
}

export interface VolumeUser {
  readonly podUid: string;
  readonly specName: string;
}

export const keyOf = ({ driver, handle }: VolumeKey): string => `${driver}^${handle}`;
