import type { NodeInfo } from "./CacheRecords.ts"
import type { PodDemand } from "./PodDemand.ts"

/** What a node lacks for a pod, as a sum of distinct powers of two; 0 for nothing. */
export type Lacking = number

const tooManyPods = 1
const noCpu = 2
const noMemory = 4
const noEphemeral = 8
const unresolvable = 2 ** 51

/** Doubles hold 52 such bits: pods with more than 46 extended resources would share the last. */
const scalarBit = (index: number): number => 16 * 2 ** Math.min(index, 46)

const has = (lacking: Lacking, bit: number): boolean => Math.floor(lacking / bit) % 2 === 1

/** Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
export const lackingOn = (node: NodeInfo, demand: PodDemand): Lacking => {
  let lacking = node.podCount + 1 > node.allocatablePods ? tooManyPods : 0
  if (demand.isZero) return lacking
  const { cpu, ephemeral, memory, scalars } = demand
  let hopeless = false
  if (cpu > 0 && cpu > node.allocatableCpu - node.requestedCpu) {
    lacking += noCpu
    hopeless = cpu > node.allocatableCpu
  }
  if (memory > 0 && memory > node.allocatableMemory - node.requestedMemory) {
    lacking += noMemory
    hopeless ||= memory > node.allocatableMemory
  }
  if (ephemeral > 0 && ephemeral > node.allocatableEphemeral - node.requestedEphemeral) {
    lacking += noEphemeral
    hopeless ||= ephemeral > node.allocatableEphemeral
  }
  for (let index = 0; index < scalars.length; index++) {
    const scalar = scalars[index]
    if (scalar === undefined || scalar.amount === 0) continue
    const allocatable = node.allocatableScalars[scalar.slot] ?? 0
    if (scalar.amount <= allocatable - (node.requestedScalars[scalar.slot] ?? 0)) continue
    lacking += scalarBit(index)
    hopeless ||= scalar.amount > allocatable
  }
  return hopeless ? lacking + unresolvable : lacking
}

/** Whether the pod would not fit even on the empty node. */
export const isUnresolvable = (lacking: Lacking): boolean => lacking >= unresolvable

export const reasonsOf = (lacking: Lacking, { scalars }: PodDemand): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  if (has(lacking, tooManyPods)) reasons.push("Too many pods")
  if (has(lacking, noCpu)) reasons.push("Insufficient cpu")
  if (has(lacking, noMemory)) reasons.push("Insufficient memory")
  if (has(lacking, noEphemeral)) reasons.push("Insufficient ephemeral-storage")
  scalars.forEach(({ name }, index) => {
    if (has(lacking, scalarBit(index))) reasons.push(`Insufficient ${name}`)
  })
  return reasons
}

const amountOf = ({ scalars }: PodDemand, slot: number): number =>
  scalars.find((scalar) => scalar.slot === slot)?.amount ?? 0

/** Upstream: fit.go isSchedulableAfterPodScaleDown. */
export const requestsLess = (before: PodDemand, after: PodDemand, wanted: PodDemand): boolean =>
  (wanted.cpu > 0 && before.cpu > after.cpu) ||
  (wanted.memory > 0 && before.memory > after.memory) ||
  (wanted.ephemeral > 0 && before.ephemeral > after.ephemeral) ||
  wanted.scalars.some(({ amount, slot }) => amount > 0 && amountOf(before, slot) > amountOf(after, slot))

/** Upstream: fit.go haveAnyRequestedResourcesIncreased. */
export const offersMore = (before: NodeInfo, after: NodeInfo, wanted: PodDemand): boolean =>
  after.allocatablePods > before.allocatablePods ||
  (wanted.cpu > 0 && after.allocatableCpu > before.allocatableCpu) ||
  (wanted.memory > 0 && after.allocatableMemory > before.allocatableMemory) ||
  (wanted.ephemeral > 0 && after.allocatableEphemeral > before.allocatableEphemeral) ||
  wanted.scalars.some(
    ({ amount, slot }) => amount > 0 && (after.allocatableScalars[slot] ?? 0) > (before.allocatableScalars[slot] ?? 0)
  )
