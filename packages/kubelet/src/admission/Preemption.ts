import {
  type Amount,
  type Amounts,
  addQuantity,
  type FeatureGates,
  type Pod,
  podRequests,
  qosClassOf,
  signOf
} from "@rollcall/api"
import * as Result from "effect/Result"
import { isCriticalPod } from "../pod/CriticalPod.ts"
import { hasPodLevelResources } from "./PodFeatures.ts"
import { countOf } from "./PodNeeds.ts"

type Gates = Pick<FeatureGates, "PodLevelResources">

/**
 * Whether the first pod may preempt the second. Critical pods are only preempted for a higher priority.
 * Upstream: pkg/kubelet/types/pod_update.go Preemptable.
 */
export const isPreemptable = (preemptor: Pod, pod: Pod): boolean => {
  if (isCriticalPod(preemptor) && !isCriticalPod(pod)) return true
  const { priority } = preemptor.spec
  return priority !== undefined && pod.spec.priority !== undefined && priority > pod.spec.priority
}

/** An amount of a resource that a node lacks for a pod, in thousandths of a cpu, bytes or pods. */
export interface MissingResource {
  readonly resource: string
  readonly amount: number
}

/** A pod that may be preempted. */
interface Candidate {
  readonly pod: Pod
  readonly requests: Amounts
}

/** Returns a pod with its requests. Overhead is added only to a request that is not zero. */
const candidateOf = (pod: Pod, gates: Gates): Candidate => {
  const requests: Record<string, Amount> = {
    ...podRequests(pod, {
      excludeOverhead: true,
      skipPodLevelResources: !gates.PodLevelResources,
      skipContainerLevelResources: gates.PodLevelResources && hasPodLevelResources(pod)
    })
  }
  const { overhead } = pod.spec
  for (const name in overhead) {
    const asked = requests[name]
    if (asked !== undefined && signOf(asked) !== 0) requests[name] = addQuantity(asked, overhead[name] ?? 0)
  }
  return { pod, requests }
}

/** Returns how much of a resource the pod's end frees. Upstream: pkg/api/v1/resource/helpers.go GetResourceRequest. */
const freedBy = ({ requests }: Candidate, resource: string): number => {
  if (resource === "pods") return 1
  const amount = requests[resource]
  return amount === undefined ? 0 : countOf(resource, amount)
}

/** Returns the requirements that remain unmet when these pods are preempted. */
const remainingAfter = (
  requirements: ReadonlyArray<MissingResource>,
  ...freed: ReadonlyArray<ReadonlyArray<Candidate>>
): ReadonlyArray<MissingResource> =>
  requirements
    .map(({ amount, resource }) => {
      let rest = amount
      for (const pods of freed) for (const pod of pods) rest -= freedBy(pod, resource)
      return { resource, amount: rest }
    })
    .filter(({ amount }) => amount > 0)

/** Returns how far a pod alone is from meeting the requirements: 0 if it meets all. Each resource counts equally. */
const distance = (requirements: ReadonlyArray<MissingResource>, pod: Candidate): number => {
  let sum = 0
  for (const { amount, resource } of requirements) {
    const rest = amount - freedBy(pod, resource)
    const share = rest / amount
    if (rest > 0) sum += share * share
  }
  return sum
}

/** Whether `left` requests less memory than `right`, or equal memory and at most as much cpu. */
const isSmaller = (remaining: Candidate, right: Candidate): boolean => {
  for (const resource of ["memory", "cpu"]) {
    const difference = freedBy(remaining, resource) - freedBy(right, resource)
    if (difference !== 0) return difference < 0
  }
  return true
}

const noVictimsMessage = (requirements: ReadonlyArray<MissingResource>): string => {
  const list = requirements.map(({ amount, resource }) => `(res: ${resource}, q: ${amount}), `)
  return `no set of running pods found to reclaim resources: [${list.join("")}]`
}

/**
 * Chooses the pod with the least distance, repeatedly until nothing is missing. The caller knows that the pods suffice.
 */
const chooseNearest = (
  pods: ReadonlyArray<Candidate>,
  requirements: ReadonlyArray<MissingResource>
): ReadonlyArray<Candidate> => {
  const remaining = [...pods]
  const chosenPods: Array<Candidate> = []
  let missing = requirements
  while (missing.length > 0) {
    let best = 0
    let bestDistance = Number.POSITIVE_INFINITY
    remaining.forEach((pod, index) => {
      const itsDistance = distance(missing, pod)
      const current = remaining[best]
      if (
        itsDistance < bestDistance ||
        (itsDistance === bestDistance && current !== undefined && isSmaller(pod, current))
      ) {
        bestDistance = itsDistance
        best = index
      }
    })
    const chosen = remaining[best]
    const last = remaining.pop()
    if (chosen === undefined || last === undefined) return chosenPods
    // The last pod takes the chosen pod's place, as upstream: this order decides later ties.
    if (best < remaining.length) remaining[best] = last
    chosenPods.push(chosen)
    missing = remainingAfter(missing, [chosen])
  }
  return chosenPods
}

/**
 * Returns the pods to preempt for a critical pod, in order. It chooses as few and as small guaranteed pods as possible,
 * assuming that all others are preempted, then the same of the burstable, and then of the best-effort pods. Fails with
 * upstream's message if all together do not suffice. Upstream: pkg/kubelet/preemption/preemption.go getPodsToPreempt.
 */
export const choosePreempted = (
  preemptor: Pod,
  running: ReadonlyArray<Pod>,
  requirements: ReadonlyArray<MissingResource>,
  gates: Gates
): Result.Result<ReadonlyArray<Pod>, string> => {
  const bestEffort: Array<Candidate> = []
  const burstable: Array<Candidate> = []
  const guaranteed: Array<Candidate> = []
  for (const pod of running) {
    if (!isPreemptable(preemptor, pod)) continue
    const qos = qosClassOf(pod, { podLevelResources: gates.PodLevelResources })
    const list = qos === "BestEffort" ? bestEffort : qos === "Burstable" ? burstable : guaranteed
    list.push(candidateOf(pod, gates))
  }
  const unmet = remainingAfter(requirements, bestEffort, burstable, guaranteed)
  if (unmet.length > 0) return Result.fail(noVictimsMessage(unmet))
  const fromGuaranteed = chooseNearest(guaranteed, remainingAfter(requirements, bestEffort, burstable))
  const fromBurstable = chooseNearest(burstable, remainingAfter(requirements, bestEffort, fromGuaranteed))
  const fromBestEffort = chooseNearest(bestEffort, remainingAfter(requirements, fromBurstable, fromGuaranteed))
  return Result.succeed([...fromBestEffort, ...fromBurstable, ...fromGuaranteed].map(({ pod }) => pod))
}
