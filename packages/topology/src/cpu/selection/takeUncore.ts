import { type CpuTopology, cpusOfUnit, cpusPerCore, cpusPerUncoreCache } from "../CpuTopology.ts"
import type { CpuSelection } from "./CpuSelection.ts"
import { type CpuGroup, type FreeCpus, pathTo } from "./FreeCpus.ts"

/**
 * Takes CPUs that share a last-level cache: whole caches while the need is that large, and for the rest a part of one
 * cache, if one has exactly the needed amount. The rest is left to the following steps. Upstream: cpu_assignment.go
 * takeUncoreCache.
 */
export const takeUncoreCaches = (topology: CpuTopology, selection: CpuSelection): void => {
  for (const cache of cachesOf(topology, selection.free())) {
    if (selection.isSatisfied) return
    if (selection.needed >= cpusPerUncoreCache(topology)) {
      selection.takeWhole(cachesOf(topology, selection.free()), (group) => isWhole(topology, group))
    }
    takePart(topology, selection, cache[0]?.uncoreCache ?? 0)
  }
}

const cachesOf = (topology: CpuTopology, free: FreeCpus): ReadonlyArray<CpuGroup> =>
  free.along([...pathTo(topology, "numaNode"), "uncoreCache"])

const isWhole = (topology: CpuTopology, group: CpuGroup): boolean =>
  group.length === cpusOfUnit(topology, "uncoreCache", group[0]?.uncoreCache ?? 0).size

/**
 * Takes all free CPUs of as many cores as needed, the lowest first; for an odd need it leaves one sibling. All or
 * nothing.
 */
const takePart = (topology: CpuTopology, selection: CpuSelection, cacheId: number): void => {
  const inCache = selection.free().cpus.filter(({ uncoreCache }) => uncoreCache === cacheId)
  const part = [...Map.groupBy(inCache, ({ core }) => core)]
    .sort(([a], [b]) => a - b)
    .slice(0, Math.ceil(selection.needed / cpusPerCore(topology)))
    .flatMap(([, cpus]) => cpus)
    .sort((a, b) => a.id - b.id)
  if (selection.needed % 2 === 1 && part.length > selection.needed) part.pop()
  if (part.length === selection.needed) selection.take(part)
}
