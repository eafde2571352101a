import * as Result from "effect/Result"
import { bitsOf, formatRange, type IPRange, lastOf, overlap } from "./IPRange.ts"

/** Callbacks of a set for metrics. */
export interface CidrSetMeter {
  /** Number of blocks newly allocated. */
  readonly taken: (blocks: number) => void
  readonly freed: (blocks: number) => void
  /** Allocated blocks that an allocation skipped. */
  readonly tries: (skipped: number) => void
  /** The allocated fraction, 0 to 1. */
  readonly usage: (fraction: number) => void
}

export const NO_CIDRS_REMAINING =
  "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
export const SUBNET_TOO_BIG = "New CIDR set failed; the node CIDR size is too big"

/**
 * With a larger difference between the cluster's mask and its nodes' the bitmap of an IPv6 range would be too large.
 */
const MAX_IPV6_DIFFERENCE = 16

const WORD = 32
const FULL = 0xffff_ffff

/** A bitmap, all clear at first; its memory grows to the highest bit that was ever set. */
export class Bitmap {
  private words = new Uint32Array(8)

  get(index: number): boolean {
    return (((this.words[Math.floor(index / WORD)] ?? 0) >>> (index % WORD)) & 1) === 1
  }

  /** Returns whether that changed anything. */
  set(index: number, value: boolean): boolean {
    if (this.get(index) === value) return false
    const word = Math.floor(index / WORD)
    if (word >= this.words.length) this.grow(word + 1)
    this.words[word] = ((this.words[word] ?? 0) ^ (1 << (index % WORD))) >>> 0
    return true
  }

  /** The first clear bit from `from` on; `end` if there is none before it. */
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
  private cursor = 0

  private constructor(cluster: IPRange, nodeMaskSize: number, meter: CidrSetMeter | undefined) {
    this.cluster = cluster
    this.nodeMaskSize = nodeMaskSize
    this.maxCIDRs = 2 ** (nodeMaskSize - cluster.length)
    this.meter = meter
  }

  /** `nodeMaskSize` must be at least the cluster's mask size. */
  static make(cluster: IPRange, nodeMaskSize: number, meter?: CidrSetMeter): Result.Result<CidrSet, string> {
    return cluster.family === 6 && nodeMaskSize - cluster.length > MAX_IPV6_DIFFERENCE
      ? Result.fail(SUBNET_TOO_BIG)
      : Result.succeed(new CidrSet(cluster, nodeMaskSize, meter))
  }

  /** Number of allocated blocks. */
  get allocated(): number {
    return this.count
  }

  /** Where the next allocation starts. */
  get nextCandidate(): number {
    return this.cursor
  }

  /** Allocates the first free block from the cursor on, wrapping around, and moves the cursor past it. */
  allocate(): Result.Result<IPRange, string> {
    if (this.count === this.maxCIDRs) return Result.fail(NO_CIDRS_REMAINING)
    const ahead = this.used.firstClear(this.cursor, this.maxCIDRs)
    const index = ahead < this.maxCIDRs ? ahead : this.used.firstClear(0, this.cursor)
    const skipped = (index - this.cursor + this.maxCIDRs) % this.maxCIDRs
    this.cursor = (index + 1) % this.maxCIDRs
    this.used.set(index, true)
    this.count++
    this.meter?.taken(1)
    this.meter?.tries(skipped)
    this.tellUsage()
    return Result.succeed(this.block(index))
  }

  /** Allocates every block that overlaps the range. */
  occupy(range: IPRange): Result.Result<void, string> {
    return Result.map(this.indices(range), ([begin, end]) => {
      const changed = this.setAll(begin, end, true)
      this.count += changed
      if (changed > 0) this.meter?.taken(changed)
      this.tellUsage()
    })
  }

  /** Releases every block that overlaps the range. */
  release(range: IPRange): Result.Result<void, string> {
    return Result.map(this.indices(range), ([begin, end]) => {
      const changed = this.setAll(begin, end, false)
      this.count -= changed
      if (changed > 0) this.meter?.freed(changed)
      this.tellUsage()
    })
  }

  private setAll(begin: number, end: number, value: boolean): number {
    let changed = 0
    for (let index = begin; index <= end; index++) if (this.used.set(index, value)) changed++
    return changed
  }

  /** The first and the last block that overlap the range. */
  private indices(range: IPRange): Result.Result<readonly [begin: number, end: number], string> {
    if (!overlap(this.cluster, range)) {
      return Result.fail(`cidr ${formatRange(range)} is out the range of cluster cidr ${formatRange(this.cluster)}`)
    }
    return Result.succeed(
      range.length <= this.cluster.length
        ? [0, this.maxCIDRs - 1]
        : [this.indexOf(range.base), this.indexOf(lastOf(range))]
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

  private tellUsage(): void {
    this.meter?.usage(this.count / this.maxCIDRs)
  }
}
