import * as Result from "effect/Result"
import { type AllocateFailure, allocateFailure } from "../../hints.ts"
import { CpuSet } from "../CpuSet.ts"
import type { CpuTopology } from "../CpuTopology.ts"
import { type CpuGroup, type FreeCpus, freeCpusOf } from "./FreeCpus.ts"

/** The CPUs chosen, or why that cannot be. */
export type Selected = Result.Result<CpuSet, AllocateFailure>

/**
 * A selection in the making: what it has, and how many it still needs. Upstream:
 * pkg/kubelet/cm/cpumanager/cpu_assignment.go cpuAccumulator.
 */
export class CpuSelection {
  private readonly topology: CpuTopology
  private readonly available: CpuSet
  private readonly taken = new Set<number>()
  private readonly wanted: number
  /** Known until something is taken. */
  private left: FreeCpus | undefined

  constructor(topology: CpuTopology, available: CpuSet, wanted: number) {
    this.topology = topology
    this.available = available
    this.wanted = wanted
  }

  get needed(): number {
    return this.wanted - this.taken.size
  }

  get isSatisfied(): boolean {
    return this.needed < 1
  }

  /** What is left to take now. */
  free(): FreeCpus {
    this.left ??= freeCpusOf(
      this.topology,
      this.available.filter((id) => !this.taken.has(id))
    )
    return this.left
  }

  take(cpus: CpuGroup): void {
    for (const { id } of cpus) this.taken.add(id)
    this.left = undefined
  }

  /** Each group in turn that is whole and not larger than the need. */
  takeWhole(groups: ReadonlyArray<CpuGroup>, isWhole: (group: CpuGroup) => boolean): void {
    for (const group of groups) if (this.needed >= group.length && isWhole(group)) this.take(group)
  }

  /** The first ones of a list, as many as are needed. */
  takeFirst(cpus: CpuGroup): void {
    this.take(cpus.slice(0, Math.max(0, this.needed)))
  }

  selected(): Selected {
    return this.isSatisfied
      ? Result.succeed(CpuSet.of(this.taken))
      : Result.fail(allocateFailure("failed to allocate cpus"))
  }
}

/** The answer to a request that needs no look at the machine: nothing is wanted, or more than there is. */
export const settledAtOnce = (available: CpuSet, wanted: number): Selected | undefined => {
  if (wanted < 1) return Result.succeed(CpuSet.empty)
  if (wanted <= available.size) return undefined
  return Result.fail(
    allocateFailure(`not enough cpus available to satisfy request: requested=${wanted}, available=${available.size}`)
  )
}
