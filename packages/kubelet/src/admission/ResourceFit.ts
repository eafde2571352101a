import type { Pod, ResourceList } from "@rollcall/api"
import { countOf, type FitRules, type PodNeeds, podHoldings } from "./PodNeeds.ts"

/** A resource of which a node has too little for a pod. Amounts are in thousandths of a cpu, bytes, or pods. */
export interface InsufficientResource {
  readonly _tag: "InsufficientResource"
  readonly resource: string
  readonly requested: number
  readonly used: number
  readonly capacity: number
}

/** Returns how much of the resource is missing. */
export const missingAmount = ({ capacity, requested, used }: InsufficientResource): number =>
  requested - (capacity - used)

type Counts = ReadonlyMap<string, number>

/** Caches amounts as numbers by the list, which is one object while it does not change, often for a group of nodes. */
const byList = new WeakMap<ResourceList, Counts>()
const NONE: Counts = new Map()

const countsOf = (list: ResourceList | undefined): Counts => {
  if (list === undefined) return NONE
  const known = byList.get(list)
  if (known !== undefined) return known
  const counts = new Map(Object.entries(list).map(([name, quantity]) => [name, countOf(name, quantity)]))
  byList.set(list, counts)
  return counts
}

interface Used {
  cpu: number
  memory: number
  ephemeralStorage: number
  scalars: Map<string, number> | undefined
}

const usedBy = (pods: ReadonlyArray<Pod>, gates: FitRules): Used => {
  const used: Used = { cpu: 0, memory: 0, ephemeralStorage: 0, scalars: undefined }
  for (const pod of pods) {
    const { cpu, ephemeralStorage, memory, scalars } = podHoldings(pod, gates)
    used.cpu += cpu
    used.memory += memory
    used.ephemeralStorage += ephemeralStorage
    if (scalars === undefined) continue
    used.scalars ??= new Map()
    for (const [name, amount] of scalars) used.scalars.set(name, (used.scalars.get(name) ?? 0) + amount)
  }
  return used
}

/**
 * Returns the resources of which a node has too little for a pod next to its other pods, in upstream's order: pods,
 * cpu, memory, ephemeral-storage, then the others by name. A pod without requests only needs to be within the number of
 * pods. Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest.
 */
export const insufficientResources = (
  needs: PodNeeds,
  otherPods: ReadonlyArray<Pod>,
  allocatable: ResourceList | undefined,
  gates: FitRules
): ReadonlyArray<InsufficientResource> => {
  const insufficient: Array<InsufficientResource> = []
  const counts = countsOf(allocatable)
  const check = (resource: string, requested: number, used: number): void => {
    const capacity = counts.get(resource) ?? 0
    if (requested === 0 || requested <= capacity - used) return
    insufficient.push({ _tag: "InsufficientResource", resource, requested, used, capacity })
  }
  check("pods", 1, otherPods.length)
  const { cpu, ephemeralStorage, memory, scalars } = needs
  if (cpu === 0 && memory === 0 && ephemeralStorage === 0 && scalars === undefined) return insufficient
  const used = usedBy(otherPods, gates)
  check("cpu", cpu, used.cpu)
  check("memory", memory, used.memory)
  check("ephemeral-storage", ephemeralStorage, used.ephemeralStorage)
  for (const [name, amount] of scalars ?? []) check(name, amount, used.scalars?.get(name) ?? 0)
  return insufficient
}

/** Whether the node has enough of every resource for all of these pods together. */
export const haveRoom = (pods: ReadonlyArray<Pod>, allocatable: ResourceList | undefined, gates: FitRules): boolean => {
  const counts = countsOf(allocatable)
  const fits = (resource: string, used: number): boolean => used <= (counts.get(resource) ?? 0)
  const { cpu, ephemeralStorage, memory, scalars } = usedBy(pods, gates)
  return (
    fits("pods", pods.length) &&
    fits("cpu", cpu) &&
    fits("memory", memory) &&
    fits("ephemeral-storage", ephemeralStorage) &&
    [...(scalars ?? [])].every(([name, amount]) => fits(name, amount))
  )
}
