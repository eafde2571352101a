import { compareVersions } from "./ConsistencyStore.ts"

interface Waiting {
  readonly key: string
  readonly version: string
}

/**
 * Keys that wait until a cache has seen a revision, in the order of the revisions: each is moved once, however many
 * events the cache has in the meantime.
 */
export class WaitingKeys {
  private readonly ordered: Array<Waiting> = []
  private readonly keys = new Set<string>()

  /** Adds a key; one that waits already keeps its place, and is checked again when its turn comes. */
  add(key: string, version: string): void {
    if (this.keys.has(key)) return
    this.keys.add(key)
    // A controller's later writes have later revisions: the place is almost always the last one.
    let place = this.ordered.length
    while (place > 0 && this.isAfter(place - 1, version)) place--
    this.ordered.splice(place, 0, { key, version })
  }

  private isAfter(index: number, version: string): boolean {
    return (compareVersions(this.ordered[index]?.version ?? "", version) ?? 0) > 0
  }

  /** Removes and returns the keys whose revisions are not newer than this one, which the cache has seen. */
  takeUpTo(version: string): ReadonlyArray<string> {
    let count = 0
    while (count < this.ordered.length && !this.isAfter(count, version)) count++
    if (count === 0) return []
    const keys = this.ordered.splice(0, count).map(({ key }) => key)
    for (const key of keys) this.keys.delete(key)
    return keys
  }
}
