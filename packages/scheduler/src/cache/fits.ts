import type { NodeInfo } from "./CacheRecords.ts"
import type { PodDemand } from "./PodDemand.ts"
import type { PodDevices } from "./PodDevices.ts"

/**
 * The resources of which a node has too little for a pod, as a sum of distinct powers of two (the bits below); 0 if the
 * pod fits. A number, since one is computed for each pod and node.
 */
export type Shortages = number

const tooManyPods = 1
const noCpu = 2
const noMemory = 4
const noEphemeral = 8
/** Set if the pod would not fit even on the empty node. */
const unresolvable = 2 ** 51

/**
 * The bit of an extended resource, by its index in the demand. They lie between the bits above (up to 8) and
 * `unresolvable`, and a double holds 53 bits: pods with more than 47 extended resources share the last one.
 */
const scalarBit = (index: number): number => 16 * 2 ** Math.min(index, 46)

const hasBit = (shortages: Shortages, bit: number): boolean => Math.floor(shortages / bit) % 2 === 1

/**
 * Compares a demand with the free resources of a node. A resource that the node does not have, and that a class of devices
 * provides, is left to the plugin DynamicResources. Upstream: noderesources/fit.go fitsRequest, shouldDelegateResourceToDRA.
 */
export const shortagesOn = (
  node: NodeInfo,
  demand: PodDemand,
  devices?: Pick<PodDevices, "hasClassFor">
): Shortages => {
  let shortages = node.podCount + 1 > node.allocatablePods ? tooManyPods : 0
  if (demand.isZero) return shortages
  const { cpu, ephemeral, memory, scalars } = demand
  let exceedsAllocatable = false
  if (cpu > 0 && cpu > node.allocatableCpu - node.requestedCpu) {
    shortages += noCpu
    exceedsAllocatable = cpu > node.allocatableCpu
  }
  if (memory > 0 && memory > node.allocatableMemory - node.requestedMemory) {
    shortages += noMemory
    exceedsAllocatable ||= memory > node.allocatableMemory
  }
  if (ephemeral > 0 && ephemeral > node.allocatableEphemeral - node.requestedEphemeral) {
    shortages += noEphemeral
    exceedsAllocatable ||= ephemeral > node.allocatableEphemeral
  }
  for (let index = 0; index < scalars.length; index++) {
    const scalar = scalars[index]
    if (scalar === undefined || scalar.amount === 0) continue
    const allocatable = node.allocatableScalars[scalar.slot] ?? 0
    if (scalar.amount <= allocatable - (node.requestedScalars[scalar.slot] ?? 0)) continue
    if (allocatable <= 0 && devices?.hasClassFor(scalar.name) === true) continue
    shortages += scalarBit(index)
    exceedsAllocatable ||= scalar.amount > allocatable
  }
  return exceedsAllocatable ? shortages + unresolvable : shortages
}

/** Whether the pod would not fit even on the empty node. */
export const isUnresolvable = (shortages: Shortages): boolean => shortages >= unresolvable

/** Kubernetes' text for each shortage. */
export const reasonsOf = (shortages: Shortages, { scalars }: PodDemand): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  if (hasBit(shortages, tooManyPods)) reasons.push("Too many pods")
  if (hasBit(shortages, noCpu)) reasons.push("Insufficient cpu")
  if (hasBit(shortages, noMemory)) reasons.push("Insufficient memory")
  if (hasBit(shortages, noEphemeral)) reasons.push("Insufficient ephemeral-storage")
  scalars.forEach(({ name }, index) => {
    if (hasBit(shortages, scalarBit(index))) reasons.push(`Insufficient ${name}`)
  })
  return reasons
}

/** The requested amount of an extended resource. */
const amountOf = ({ scalars }: PodDemand, slot: number): number =>
  scalars.find((scalar) => scalar.slot === slot)?.amount ?? 0

/**
 * Whether a pod now requests less of a resource that `demand` requests. Upstream: fit.go
 * isSchedulableAfterPodScaleDown.
 */
export const requestsLess = (before: PodDemand, after: PodDemand, demand: PodDemand): boolean =>
  (demand.cpu > 0 && before.cpu > after.cpu) ||
  (demand.memory > 0 && before.memory > after.memory) ||
  (demand.ephemeral > 0 && before.ephemeral > after.ephemeral) ||
  demand.scalars.some(({ amount, slot }) => amount > 0 && amountOf(before, slot) > amountOf(after, slot))

/**
 * Whether a node now has more of a resource that `demand` requests. Upstream: fit.go
 * haveAnyRequestedResourcesIncreased.
 */
export const offersMore = (
  before: NodeInfo,
  after: NodeInfo,
  demand: PodDemand,
  devices?: Pick<PodDevices, "hasClassFor">
): boolean =>
  after.allocatablePods > before.allocatablePods ||
  (demand.cpu > 0 && after.allocatableCpu > before.allocatableCpu) ||
  (demand.memory > 0 && after.allocatableMemory > before.allocatableMemory) ||
  (demand.ephemeral > 0 && after.allocatableEphemeral > before.allocatableEphemeral) ||
  demand.scalars.some(
    ({ amount, name, slot }) =>
      amount > 0 &&
      ((after.allocatableScalars[slot] ?? 0) > (before.allocatableScalars[slot] ?? 0) ||
        ((after.allocatableScalars[slot] ?? 0) <= 0 && devices?.hasClassFor(name) === true))
  )
