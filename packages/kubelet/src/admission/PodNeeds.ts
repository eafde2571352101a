import {
  type Amounts,
  type FeatureGates,
  milliValue,
  type Pod,
  type PodSpec,
  podLimits,
  podRequests,
  type QuantityLike,
  type Release,
  reportsOtherResources,
  sortedEntries,
  value
} from "@rollcall/api"
import { isScalarResource } from "../node/ResourceNames.ts"

/** A pod's requests as plain numbers: cpu in thousandths, the others in whole units. */
export interface PodNeeds {
  readonly cpu: number
  readonly memory: number
  readonly ephemeralStorage: number
  /** Huge pages, extended and other scalar resources, sorted by name; undefined if there are none. */
  readonly scalars: ReadonlyMap<string, number> | undefined
}

/** What the resources that a pod needs depend on: whether its requests or its limits count, and pod-level resources. */
export type FitRules = Pick<FeatureGates, "PodLevelResources"> & Partial<Pick<Release, "podsFitBy">>

/**
 * Returns an amount as a number: cpu in thousandths, the others in whole units. Upstream:
 * pkg/api/v1/resource/helpers.go GetResourceRequest.
 */
export const countOf = (resource: string, quantity: QuantityLike): number =>
  resource === "cpu" ? milliValue(quantity) : value(quantity)

const needsOf = (requests: Amounts): PodNeeds => {
  let cpu = 0
  let memory = 0
  let ephemeralStorage = 0
  let scalars: Map<string, number> | undefined
  for (const name in requests) {
    const amount = requests[name]
    if (amount === undefined) continue
    const count = countOf(name, amount)
    if (name === "cpu") cpu = count
    else if (name === "memory") memory = count
    else if (name === "ephemeral-storage") ephemeralStorage = count
    else if (isScalarResource(name)) {
      scalars ??= new Map()
      scalars.set(name, count)
    }
  }
  return { cpu, memory, ephemeralStorage, scalars: scalars && new Map(sortedEntries(scalars)) }
}

/** Caches requests by what they depend on: the versions of a pod share it, and often the replicas of a set. */
const known = new WeakMap<PodSpec | PodSpec["containers"], PodNeeds>()

const sourceOf = (spec: PodSpec): PodSpec | PodSpec["containers"] =>
  spec.initContainers === undefined && spec.overhead === undefined && spec.resources === undefined
    ? spec.containers
    : spec

const compute = (pod: Pod, { podsFitBy, PodLevelResources }: FitRules, useStatusResources: boolean): PodNeeds => {
  const sumOf = podsFitBy === "limitsInCapacity" ? podLimits : podRequests
  return needsOf(sumOf(pod, { useStatusResources, skipPodLevelResources: !PodLevelResources }))
}

/** Returns the resources that a pod's spec requests. */
export const podNeeds = (pod: Pod, gates: FitRules): PodNeeds => {
  const { spec } = pod
  if (gates.podsFitBy === "limitsInCapacity" || (spec.resources !== undefined && !gates.PodLevelResources)) {
    return compute(pod, gates, false)
  }
  const source = sourceOf(spec)
  const before = known.get(source)
  if (before !== undefined) return before
  const needs = compute(pod, gates, false)
  known.set(source, needs)
  return needs
}

/** Returns the resources that a running pod holds: the greater of spec and status while it is resized. */
export const podHoldings = (pod: Pod, gates: FitRules): PodNeeds =>
  reportsOtherResources(pod) ? compute(pod, gates, true) : podNeeds(pod, gates)
