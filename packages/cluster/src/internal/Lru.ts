/** A map that evicts the least recently used entry. */
export class Lru<V> {
  private readonly entries = new Map<string, V>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key)
    if (value !== undefined) {
      this.entries.delete(key)
      this.entries.set(key, value)
    }
    return value
  }

  set(key: string, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size <= this.capacity) return
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest)
      return
    }
  }
}
