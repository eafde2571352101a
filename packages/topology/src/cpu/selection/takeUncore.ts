import { type CpuTopology, cpusOfUnit, cpusPerCore, cpusPerUncoreCache } from "../CpuTopology.ts"
import type { CpuSelection } from "./CpuSelection.ts"
import { type CpuGroup, type FreeCpus, pathTo } from "./FreeCpus.ts"

/**
 * Takes CPUs that share a last-level cache: whole caches while as many CPUs are needed, and then a part of one cache,
 * if one can provide exactly the number that is still needed. Otherwise that is left to the following steps. Upstream:
 * cpu_assignment.go takeUncoreCache.
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
 * Takes the free CPUs of as many cores as needed, the lowest first; of an odd number it leaves one thread of the last
 * core. Takes nothing if that does not give exactly the needed number.
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
