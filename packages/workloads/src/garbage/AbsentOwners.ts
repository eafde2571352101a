import type { Item } from "./OwnerGraph.ts"

/** An object as its dependents refer to it. */
type Identity = Pick<Item, "kind" | "namespace" | "name" | "uid">

const keyOf = ({ kind, name, namespace, uid }: Identity): string => `${kind}/${namespace}/${name}/${uid}`

/**
 * The most owners in the cache. Upstream: pkg/controller/garbagecollector/garbagecollector.go, NewReferenceCache(500).
 */
const CAPACITY = 500

/**
 * Owners that do not exist in the API, cached so that their dependents do not all query them. Uids are never reused, so
 * an entry stays true; when the cache is full, the entry that was not used for longest is dropped.
 */
export class AbsentOwners {
  private readonly keys = new Set<string>()

  /** Whether the owner is known to be absent; marks the entry as used. */
  has(owner: Identity): boolean {
    const key = keyOf(owner)
    if (!this.keys.delete(key)) return false
    this.keys.add(key)
    return true
  }

  add(owner: Identity): void {
    const key = keyOf(owner)
    this.keys.delete(key)
    this.keys.add(key)
    if (this.keys.size <= CAPACITY) return
    // A Set iterates in order of insertion, so its first key is the oldest.
    for (const oldest of this.keys) {
      this.keys.delete(oldest)
      return
    }
  }
}
