import * as Result from "effect/Result"
import { bitsOf, formatRange, type IPRange, lastAddressOf, overlaps } from "./IPRange.ts"

/** Callbacks of a set for metrics. */
export interface CidrSetMeter {
  /** Called with the number of blocks newly allocated. */
  readonly allocated: (blocks: number) => void
  readonly released: (blocks: number) => void
  /** Called at each allocation with the number of allocated blocks that it skipped. */
  readonly skipped: (skipped: number) => void
  /** Called after each change with the allocated fraction, 0 to 1. */
  readonly usage: (fraction: number) => void
}

export const NO_CIDRS_REMAINING =
  "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
export const SUBNET_TOO_BIG = "New CIDR set failed; the node CIDR size is too big"

/**
 * With a larger difference between the cluster's mask and its nodes' the bitmap of an IPv6 range would be too large.
 */
const MAX_IPV6_DIFFERENCE = 16

const WORD_BITS = 32
/** A word in which every bit is set. */
const FULL_WORD = 0xffff_ffff

/** A bitmap, all clear at first; its memory grows to the highest bit that was ever set. */
export class Bitmap {
  private words = new Uint32Array(8)

  get(index: number): boolean {
    return (((this.words[Math.floor(index / WORD_BITS)] ?? 0) >>> (index % WORD_BITS)) & 1) === 1
  }

  /** Sets or clears a bit; returns whether that changed it. */
  set(index: number, value: boolean): boolean {
    if (this.get(index) === value) return false
    const word = Math.floor(index / WORD_BITS)
    if (word >= this.words.length) this.grow(word + 1)
    this.words[word] = ((this.words[word] ?? 0) ^ (1 << (index % WORD_BITS))) >>> 0
    return true
  }

  /** The first clear bit from `from` on; `end` if there is none before it. */
  firstClear(from: number, end: number): number {
    let index = from
    while (index < end) {
      if (index % WORD_BITS === 0 && this.words[index / WORD_BITS] === FULL_WORD) index += WORD_BITS
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

/**
 * A cluster's range divided into blocks of one size, and which of them are allocated. Blocks have no owner: a released
 * block is free, even if it was allocated more than once. Blocks are allocated round-robin, so that one is reused as
 * late as possible. Upstream: pkg/controller/nodeipam/ipam/cidrset/cidr_set.go.
 */
export class CidrSet {
  readonly cluster: IPRange
  readonly nodeMaskSize: number
  /** Total number of blocks. */
  readonly maxCIDRs: number
  private readonly used = new Bitmap()
  private readonly meter: CidrSetMeter | undefined
  private count = 0
  private nextIndex = 0

  private constructor(cluster: IPRange, nodeMaskSize: number, meter: CidrSetMeter | undefined) {
    this.cluster = cluster
    this.nodeMaskSize = nodeMaskSize
    this.maxCIDRs = 2 ** (nodeMaskSize - cluster.length)
    this.meter = meter
  }

  /** Fails if the blocks are too many. `nodeMaskSize` must be at least the cluster's mask size. */
  static make(cluster: IPRange, nodeMaskSize: number, meter?: CidrSetMeter): Result.Result<CidrSet, string> {
    return cluster.family === 6 && nodeMaskSize - cluster.length > MAX_IPV6_DIFFERENCE
      ? Result.fail(SUBNET_TOO_BIG)
      : Result.succeed(new CidrSet(cluster, nodeMaskSize, meter))
  }

  /** Number of allocated blocks. */
  get allocated(): number {
    return this.count
  }

  /** The index of the block at which the next allocation starts its search. */
  get nextCandidate(): number {
    return this.nextIndex
  }

  /** Allocates the first free block from `nextCandidate` on, wrapping around. The next search starts after it. */
  allocate(): Result.Result<IPRange, string> {
    if (this.count === this.maxCIDRs) return Result.fail(NO_CIDRS_REMAINING)
    const ahead = this.used.firstClear(this.nextIndex, this.maxCIDRs)
    const index = ahead < this.maxCIDRs ? ahead : this.used.firstClear(0, this.nextIndex)
    const skipped = (index - this.nextIndex + this.maxCIDRs) % this.maxCIDRs
    this.nextIndex = (index + 1) % this.maxCIDRs
    this.used.set(index, true)
    this.count++
    this.meter?.allocated(1)
    this.meter?.skipped(skipped)
    this.reportUsage()
    return Result.succeed(this.block(index))
  }

  /** Allocates every block that overlaps the range. */
  occupy(range: IPRange): Result.Result<void, string> {
    return Result.map(this.indices(range), ([begin, end]) => {
      const changed = this.setAll(begin, end, true)
      this.count += changed
      if (changed > 0) this.meter?.allocated(changed)
      this.reportUsage()
    })
  }

  /** Releases every block that overlaps the range. */
  release(range: IPRange): Result.Result<void, string> {
    return Result.map(this.indices(range), ([begin, end]) => {
      const changed = this.setAll(begin, end, false)
      this.count -= changed
      if (changed > 0) this.meter?.released(changed)
      this.reportUsage()
    })
  }

  private setAll(begin: number, end: number, value: boolean): number {
    let changed = 0
    for (let index = begin; index <= end; index++) if (this.used.set(index, value)) changed++
    return changed
  }

  /** The indices of the first and the last block that overlap the range; `end` is included. */
  private indices(range: IPRange): Result.Result<readonly [begin: number, end: number], string> {
    if (!overlaps(this.cluster, range)) {
      return Result.fail(`cidr ${formatRange(range)} is out the range of cluster cidr ${formatRange(this.cluster)}`)
    }
    return Result.succeed(
      range.length <= this.cluster.length
        ? [0, this.maxCIDRs - 1]
        : [this.indexOf(range.base), this.indexOf(lastAddressOf(range))]
    )
  }

  private get shift(): bigint {
    return BigInt(bitsOf(this.cluster) - this.nodeMaskSize)
  }

  private indexOf(address: bigint): number {
    return Number((address ^ this.cluster.base) >> this.shift)
  }

  private block(index: number): IPRange {
    const { base, family } = this.cluster
    return { family, base: base | (BigInt(index) << this.shift), length: this.nodeMaskSize }
  }

  private reportUsage(): void {
    this.meter?.usage(this.count / this.maxCIDRs)
  }
}
