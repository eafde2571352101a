import type { WatchEvent } from "@rollcall/cluster"

/** Consumed places are cut off once there are so many of them, and they are half of the list. */
const TRIM = 1024

/** What waits to be sent to one client, oldest first: frames, and events that are encoded when it is their turn. */
export class WatchBacklog {
  private items: Array<WatchEvent | Buffer | undefined> = []
  private next = 0
  private frameBytes = 0
  private frameCount = 0
  private headBytes: number | undefined

  get isEmpty(): boolean {
    return this.next === this.items.length
  }

  /** Of the frames. */
  get bytes(): number {
    return this.frameBytes
  }

  /** Events that are not encoded. */
  get events(): number {
    return this.items.length - this.next - this.frameCount
  }

  addEvents(batch: ReadonlyArray<WatchEvent>): void {
    for (const event of batch) this.items.push(event)
  }

  addFrame(frame: Buffer): void {
    this.items.push(frame)
    this.frameCount++
    this.frameBytes += frame.length
  }

  /** The next frames, of so many bytes or a little more; at least one, if anything waits. */
  take(bytes: number, encode: (event: WatchEvent) => Buffer): Array<Buffer> {
    const taken: Array<Buffer> = []
    this.headBytes = undefined
    let size = 0
    while (!this.isEmpty && (size < bytes || taken.length === 0)) {
      const item = this.items[this.next] as WatchEvent | Buffer
      // Nothing keeps alive what has been sent.
      this.items[this.next++] = undefined
      const frame = this.frameOf(item, encode)
      taken.push(frame)
      size += frame.length
    }
    this.trim()
    return taken
  }

  /** The bytes of the next frame; 0 where nothing waits. Only they are kept: an event that has to wait costs nothing more. */
  nextBytes(encode: (event: WatchEvent) => Buffer): number {
    const item = this.items[this.next]
    if (item === undefined) return 0
    this.headBytes ??= Buffer.isBuffer(item) ? item.length : encode(item).length
    return this.headBytes
  }

  clear(): void {
    this.items = []
    this.next = 0
    this.frameBytes = 0
    this.frameCount = 0
    this.headBytes = undefined
  }

  private frameOf(item: WatchEvent | Buffer, encode: (event: WatchEvent) => Buffer): Buffer {
    if (!Buffer.isBuffer(item)) return encode(item)
    this.frameCount--
    this.frameBytes -= item.length
    return item
  }

  private trim(): void {
    if (this.isEmpty) this.clear()
    else if (this.next >= TRIM && this.next * 2 >= this.items.length) {
      this.items = this.items.slice(this.next)
      this.next = 0
    }
  }
}
