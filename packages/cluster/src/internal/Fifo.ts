/** The array is shortened only when it has at least this many removed items, and they are at least half of it. */
const MIN_COMPACTED = 1024

/** A first-in, first-out queue that does not move the remaining items on each shift, as Array.shift does. */
export class Fifo<A> {
  private items: Array<A | undefined> = []
  private head = 0

  get size(): number {
    return this.items.length - this.head
  }

  push(item: A): void {
    this.items.push(item)
  }

  /** Removes and returns the oldest item; call only when there is one. */
  shift(): A {
    const item = this.items[this.head] as A
    this.items[this.head++] = undefined
    if (this.head === this.items.length) this.clear()
    else if (this.head >= MIN_COMPACTED && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
    return item
  }

  clear(): void {
    this.items.length = 0
    this.head = 0
  }
}
