import { matchesTerm, type Node, type ResourceSlice } from "@rollcall/api"

/** Upstream: staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go. */

export type CounterSet = NonNullable<ResourceSlice["spec"]["sharedCounters"]>[number]

/** The devices of one driver under one name, as far as a node can reach them. */
export interface Pool {
  readonly driver: string
  readonly name: string
  /** `Incomplete` while its driver publishes it; `Invalid` if its slices contradict each other. */
  readonly state: "Complete" | "Incomplete" | "Invalid"
  /** The slices with devices for the node, by name. */
  readonly slices: ReadonlyArray<ResourceSlice>
  /** Slices with devices for other nodes, which may use the same counters. */
  readonly otherSlices: ReadonlyArray<ResourceSlice>
  readonly counterSets: ReadonlyMap<string, CounterSet>
}

type NodeSelector = NonNullable<ResourceSlice["spec"]["nodeSelector"]>
type Matches = ReturnType<typeof matchesTerm>

const predicates = new WeakMap<NodeSelector, ReadonlyArray<Matches>>()

/** Whether one of the selector's terms matches. */
export const matchesNodeSelector = (selector: NodeSelector, node: Node): boolean => {
  const known = predicates.get(selector) ?? selector.nodeSelectorTerms.map(matchesTerm)
  predicates.set(selector, known)
  return known.some((matches) => matches(node))
}

type NodeSelection = Pick<ResourceSlice["spec"], "nodeName" | "allNodes" | "nodeSelector">

/** Whether a slice, or a device of one, is for a node. */
export const isForNode = ({ allNodes, nodeName = "", nodeSelector }: NodeSelection, node: Node): boolean => {
  if (nodeName !== "") return node.metadata.name === nodeName
  if (allNodes === true) return true
  return nodeSelector !== undefined && matchesNodeSelector(nodeSelector, node)
}

const hasCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters?.length ?? 0) > 0

/** Whether a slice has to do with a node: it has devices for it, or counters of the pool. */
const isRelevant = (slice: ResourceSlice, node: Node): boolean => {
  const { spec } = slice
  if (hasCounters(slice)) return true
  if ((spec.nodeName ?? "") !== "" || spec.allNodes === true || spec.nodeSelector !== undefined) {
    return isForNode(spec, node)
  }
  return spec.perDeviceNodeSelection === true && (spec.devices ?? []).some((device) => isForNode(device, node))
}

const generationOf = ({ spec }: ResourceSlice): number => spec.pool.generation ?? 0
const nameOf = ({ metadata }: ResourceSlice): string => metadata.name ?? ""
const poolKey = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`

const byName =
  <A>(nameOf: (item: A) => string) =>
  (left: A, right: A): number =>
    nameOf(left) < nameOf(right) ? -1 : nameOf(left) > nameOf(right) ? 1 : 0

const isOfOneNode = (slice: ResourceSlice): boolean => (slice.spec.nodeName ?? "") !== "" && !hasCounters(slice)

type SlicesByKey = Map<string, Set<ResourceSlice>>

const addTo = (sets: SlicesByKey, key: string, slice: ResourceSlice): void => {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([slice]))
  else known.add(slice)
}

const removeFrom = (sets: SlicesByKey, key: string, slice: ResourceSlice): void => {
  const known = sets.get(key)
  known?.delete(slice)
  if (known?.size === 0) sets.delete(key)
}

/** All slices of the cluster, by the node that they name and by pool. */
export class Slices {
  private readonly all = new Map<string, ResourceSlice>()
  private readonly ofNode: SlicesByKey = new Map()
  /** Slices for several nodes, and those with counters. */
  private readonly common = new Set<ResourceSlice>()
  private readonly ofPool: SlicesByKey = new Map()

  set(name: string, slice: ResourceSlice | undefined): void {
    const before = this.all.get(name)
    if (before !== undefined) this.remove(before)
    if (slice === undefined) {
      this.all.delete(name)
      return
    }
    this.all.set(name, slice)
    if (isOfOneNode(slice)) addTo(this.ofNode, slice.spec.nodeName ?? "", slice)
    else this.common.add(slice)
    addTo(this.ofPool, poolKey(slice), slice)
  }

  private remove(slice: ResourceSlice): void {
    this.common.delete(slice)
    removeFrom(this.ofNode, slice.spec.nodeName ?? "", slice)
    removeFrom(this.ofPool, poolKey(slice), slice)
  }

  /** The slices that may have to do with a node. */
  candidates(nodeName: string): ReadonlyArray<ResourceSlice> {
    return [...(this.ofNode.get(nodeName) ?? []), ...this.common]
  }

  samePool(slice: ResourceSlice): ReadonlyArray<ResourceSlice> {
    return [...(this.ofPool.get(poolKey(slice)) ?? [])]
  }
}

/** The newest generation among slices of one pool. */
const newest = (slices: ReadonlyArray<ResourceSlice>): ReadonlyArray<ResourceSlice> => {
  const generation = Math.max(...slices.map(generationOf))
  return slices.filter((slice) => generationOf(slice) === generation)
}

const hasDuplicates = (names: ReadonlyArray<string>): boolean => new Set(names).size < names.length

/** Whether all devices consume only counters that the pool has. */
const countersExist = (slices: ReadonlyArray<ResourceSlice>, sets: ReadonlyMap<string, CounterSet>): boolean =>
  slices.every(({ spec }) =>
    (spec.devices ?? []).every(({ consumesCounters = [] }) =>
      consumesCounters.every(({ counters = {}, counterSet }) => {
        const known = sets.get(counterSet)
        return known !== undefined && Object.keys(counters).every((name) => known.counters?.[name] !== undefined)
      })
    )
  )

/** Makes a pool of the slices that a node can reach, and all of the pool's. Upstream: buildPool. */
const makePool = (reachable: ReadonlyArray<ResourceSlice>, all: ReadonlyArray<ResourceSlice>): Pool => {
  const sorted = reachable.toSorted(byName(nameOf))
  const slices = sorted.filter((slice) => !hasCounters(slice))
  const sets = sorted.flatMap(({ spec }) => spec.sharedCounters ?? [])
  const counterSets = new Map(sets.map((set) => [set.name, set]))
  const reached = new Set(reachable.map(nameOf))
  const otherSlices = all.filter((slice) => !reached.has(nameOf(slice)))
  const isInvalid =
    hasDuplicates(slices.flatMap(({ spec }) => (spec.devices ?? []).map(({ name }) => name))) ||
    hasDuplicates(sets.map(({ name }) => name)) ||
    !countersExist([...slices, ...otherSlices], counterSets)
  const [{ driver = "", pool = { name: "" } } = {}] = sorted.map(({ spec }) => spec)
  return { driver, name: pool.name, state: isInvalid ? "Invalid" : "Complete", slices, otherSlices, counterSets }
}

const hasBindingConditions = ({ slices }: Pool): boolean =>
  slices.some(({ spec }) => (spec.devices ?? []).some(({ bindingConditions }) => bindingConditions !== undefined))

/**
 * The pools that a node can reach, by driver and name; pools whose devices have binding conditions come last. A pool of
 * which a newer generation exists is left out.
 */
export const poolsFor = (node: Node, slices: Slices): ReadonlyArray<Pool> => {
  const found = new Map<string, Array<ResourceSlice>>()
  for (const slice of slices.candidates(node.metadata.name ?? "")) {
    if (!isRelevant(slice, node)) continue
    const known = found.get(poolKey(slice))
    if (known === undefined) found.set(poolKey(slice), [slice])
    else known.push(slice)
  }
  const pools: Array<Pool> = []
  for (const each of found.values()) {
    const reachable = newest(each)
    const [first] = reachable
    if (first === undefined) continue
    const { driver, pool } = first.spec
    const isWhole = (some: ReadonlyArray<ResourceSlice>) => some.length === (pool.resourceSliceCount ?? 0)
    if (isWhole(reachable)) {
      pools.push(makePool(reachable, reachable))
      continue
    }
    const all = newest(slices.samePool(first))
    if (all.some((slice) => generationOf(slice) > generationOf(first))) continue
    if (isWhole(all)) pools.push(makePool(reachable, all))
    else {
      const none = { slices: [], otherSlices: [], counterSets: new Map<string, CounterSet>() }
      pools.push({ driver, name: pool.name, state: "Incomplete", ...none })
    }
  }
  const sorted = pools.sort(byName(({ name }) => name)).sort(byName(({ driver }) => driver))
  return [...sorted.filter((pool) => !hasBindingConditions(pool)), ...sorted.filter(hasBindingConditions)]
}
