/** Keys that requests concern which are sent and not answered. */
export class InFlight {
  private readonly counts = new Map<string, number>()
  private readonly waiting = new Set<string>()

  /** A request that concerns the key is sent. */
  begin(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }

  /** The request has ended. Returns whether the key has waited for this, and need not any more. */
  end(key: string): boolean {
    const left = (this.counts.get(key) ?? 0) - 1
    if (left > 0) {
      this.counts.set(key, left)
      return false
    }
    this.counts.delete(key)
    return this.waiting.delete(key)
  }

  /** Whether a request concerns the key; then the key waits for its end. */
  mustWait(key: string): boolean {
    if (!this.counts.has(key)) return false
    this.waiting.add(key)
    return true
  }
}
