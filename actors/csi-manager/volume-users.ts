/** Which pods use a volume: the last one to leave takes it off the node. */
export class VolumeUsers {
  readonly #users = new Map<string, Map<string, VolumeUser>>();

  add(volume: VolumeKey, user: VolumeUser): void {
    const key = keyOf(volume);
    const users = this.#users.get(key) ?? new Map<string, VolumeUser>();
    this.#users.set(key, users.set(`${user.podUid}/${user.specName}`, user));
  }

  /** Whether any of those who were known still has it; those who have not are forgotten, as far as that was looked at. */
  isUsed(volume: VolumeKey, hasIt: (user: VolumeUser) => boolean): boolean {
    const users = this.#users.get(keyOf(volume));
    for (const [name, user] of users ?? []) {
      if (hasIt(user)) return true;
      users?.delete(name);
    }
    this.#users.delete(keyOf(volume));
    return false;
  }

  /** Another pod than this one has it. */
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
