import * as Result from "effect/Result"
import { bitsOf, formatRange, type IPRange, lastOf, overlap } from "./IPRange.ts"

/** What a set tells of itself, for metrics. */
export interface CidrSetMeter {
  /** Blocks that were free and are taken now. */
  readonly taken: (blocks: number) => void
  readonly freed: (blocks: number) => void
  /** Taken blocks that an allocation passed over. */
  readonly tries: (skipped: number) => void
  /** The part that is taken, 0 to 1. */
  readonly usage: (fraction: number) => void
}

export const NO_CIDRS_REMAINING =
  "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
export const SUBNET_TOO_BIG = "New CIDR set failed; the node CIDR size is too big"

/** More bits than these between a cluster's range and its nodes' would make the bitmap of an IPv6 range too large. */
const MAX_IPV6_DIFFERENCE = 16

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

/**
 * The range of a cluster cut into blocks of one size, and which of them are taken. Nobody owns a block: what is released is
 * free, whoever else was given it. Blocks are given out in a round, so that one is used again as late as can be.
 * Upstream: pkg/controller/nodeipam/ipam/cidrset/cidr_set.go.
 */
export class CidrSet {
  readonly cluster: IPRange
  readonly nodeMaskSize: number
  /** Blocks in all. */
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

  /** Needs `nodeMaskSize` to be the cluster's or longer. */
  static make(cluster: IPRange, nodeMaskSize: number, meter?: CidrSetMeter): Result.Result<CidrSet, string> {
    return cluster.family === 6 && nodeMaskSize - cluster.length > MAX_IPV6_DIFFERENCE
      ? Result.fail(SUBNET_TOO_BIG)
      : Result.succeed(new CidrSet(cluster, nodeMaskSize, meter))
  }

  /** Blocks that are taken. */
  get allocated(): number {
    return this.count
  }

  /** Where the next allocation begins to look. */
  get nextCandidate(): number {
    return this.cursor
  }

  /** Takes the first free block from the cursor on, around the end if need be, and moves the cursor past it. */
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

  /** Takes every block that the range has a part of. */
  occupy(range: IPRange): Result.Result<void, string> {
    return Result.map(this.indices(range), ([begin, end]) => {
      const changed = this.setAll(begin, end, true)
      this.count += changed
      if (changed > 0) this.meter?.taken(changed)
      this.tellUsage()
    })
  }

  /** Frees every block that the range has a part of. */
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

  /** The first and the last block that the range has a part of. */
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
