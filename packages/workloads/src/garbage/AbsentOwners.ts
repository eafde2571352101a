/** Upstream: pkg/controller/garbagecollector/garbagecollector.go, NewReferenceCache(500). */
const CAPACITY = 500

/** Owners that the API did not know, so that not every one of their dependents asks again. Uids do not come back. */
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
