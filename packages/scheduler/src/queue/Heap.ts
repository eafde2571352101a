/** A binary min-heap: `pop` returns the item that comes before all others by the function given to the constructor. */
export class Heap<A> {
  private readonly items: Array<A> = []
  private readonly before: (left: A, right: A) => boolean

  constructor(before: (left: A, right: A) => boolean) {
    this.before = before
  }

  get size(): number {
    return this.items.length
  }

  peek(): A | undefined {
    return this.items[0]
  }

  push(item: A): void {
    const { items } = this
    let index = items.length
    items.push(item)
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = items[parentIndex] as A
      if (!this.before(item, parent)) break
      items[index] = parent
      index = parentIndex
    }
    items[index] = item
  }

  pop(): A | undefined {
    const { items } = this
    const head = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return head
    let index = 0
    for (;;) {
      let childIndex = 2 * index + 1
      const right = items[childIndex + 1]
      if (childIndex >= items.length) break
      if (right !== undefined && this.before(right, items[childIndex] as A)) childIndex++
      const child = items[childIndex] as A
      if (!this.before(child, last)) break
      items[index] = child
      index = childIndex
    }
    items[index] = last
    return head
  }
}
