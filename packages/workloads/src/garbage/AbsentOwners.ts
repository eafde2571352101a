/** Upstream: pkg/controller/garbagecollector/garbagecollector.go, NewReferenceCache(500). */
const CAPACITY = 500

/**
 * Owners that do not exist in the API, cached so that their dependents do not all query them. Uids are never reused.
 */
export class AbsentOwners {
  private readonly keys = new Set<string>()

  has(key: string): boolean {
    if (!this.keys.delete(key)) return false
    this.keys.add(key)
    return true
  }

  add(key: string): void {
    this.keys.delete(key)
    this.keys.add(key)
    if (this.keys.size <= CAPACITY) return
    for (const oldest of this.keys) {
      this.keys.delete(oldest)
      return
    }
  }
}
