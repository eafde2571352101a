const WORD = 32
const FULL = 0xffff_ffff

/** Bits by number, all clear at first; it takes the memory of the highest that was ever set. */
export class Bitmap {
  private words = new Uint32Array(8)

  get(index: number): boolean {
    return (((this.words[Math.floor(index / WORD)] ?? 0) >>> (index % WORD)) & 1) === 1
  }

  /** Answers whether that changed anything. */
  set(index: number, value: boolean): boolean {
    if (this.get(index) === value) return false
    const word = Math.floor(index / WORD)
    if (word >= this.words.length) this.grow(word + 1)
    this.words[word] = ((this.words[word] ?? 0) ^ (1 << (index % WORD))) >>> 0
    return true
  }

  /** The first clear bit from `from` on; `end` when there is none before it. */
  firstClear(from: number, end: number): number {
    let index = from
    while (index < end) {
      if (index % WORD === 0 && this.words[index / WORD] === FULL) index += WORD
      else if (this.get(index)) index++
      else return index
    }
    return end
  }

  private grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, this.words.length * 2))
    grown.set(this.words)
    this.words = grown
  }
}
