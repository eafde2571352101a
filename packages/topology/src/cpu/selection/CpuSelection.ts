import * as Result from "effect/Result"
import { type AllocateFailure, allocateFailure } from "../../hints.ts"
import { CpuSet } from "../CpuSet.ts"
import type { CpuTopology } from "../CpuTopology.ts"
import { type CpuGroup, type FreeCpus, freeCpusOf } from "./FreeCpus.ts"

/** The chosen CPUs, or why the request cannot be satisfied. */
export type Selected = Result.Result<CpuSet, AllocateFailure>

/**
 * The state of a selection: the CPUs taken so far, and how many are still needed.
 * Upstream: pkg/kubelet/cm/cpumanager/cpu_assignment.go cpuAccumulator.
 */
export class CpuSelection {
  private readonly topology: CpuTopology
  private readonly available: CpuSet
  private readonly taken = new Set<number>()
  private readonly wanted: number
  /** Caches the free CPUs until something is taken. */
  private freeCache: FreeCpus | undefined

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

  /** The CPUs that are still free. */
  free(): FreeCpus {
    this.freeCache ??= freeCpusOf(
      this.topology,
      this.available.filter((id) => !this.taken.has(id))
    )
    return this.freeCache
  }

  take(cpus: CpuGroup): void {
    for (const { id } of cpus) this.taken.add(id)
    this.freeCache = undefined
  }

  /** Takes each group that is whole, while it is not larger than what is still needed. */
  takeWhole(groups: ReadonlyArray<CpuGroup>, isWhole: (group: CpuGroup) => boolean): void {
    for (const group of groups) if (this.needed >= group.length && isWhole(group)) this.take(group)
  }

  /** Takes the first CPUs of a list, as many as are needed. */
  takeFirst(cpus: CpuGroup): void {
    this.take(cpus.slice(0, Math.max(0, this.needed)))
  }

  selected(): Selected {
    return this.isSatisfied
      ? Result.succeed(CpuSet.of(this.taken))
      : Result.fail(allocateFailure("failed to allocate cpus"))
  }
}

/**
 * Returns the result of a request for which the topology does not matter, because nothing is wanted or more than there
 * is. Returns undefined for any other request.
 */
export const trivialSelection = (available: CpuSet, wanted: number): Selected | undefined => {
  if (wanted < 1) return Result.succeed(CpuSet.empty)
  if (wanted <= available.size) return undefined
  return Result.fail(
    allocateFailure(`not enough cpus available to satisfy request: requested=${wanted}, available=${available.size}`)
  )
}
