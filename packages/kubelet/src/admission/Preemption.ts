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

/** A missing amount of a resource: milli-cores, bytes, pods. */
export interface MissingResource {
  readonly resource: string
  readonly amount: number
}

interface Candidate {
  readonly pod: Pod
  readonly requests: Amounts
}

/** A pod's requests; overhead is only added to a request that is not zero. */
const candidate = (pod: Pod, gates: Gates): Candidate => {
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

/** Upstream: pkg/api/v1/resource/helpers.go GetResourceRequest. */
const freedBy = ({ requests }: Candidate, resource: string): number => {
  if (resource === "pods") return 1
  const amount = requests[resource]
  return amount === undefined ? 0 : countOf(resource, amount)
}

/** The requirements that remain after these pods are gone. */
const without = (
  requirements: ReadonlyArray<MissingResource>,
  ...gone: ReadonlyArray<ReadonlyArray<Candidate>>
): ReadonlyArray<MissingResource> =>
  requirements
    .map(({ amount, resource }) => {
      let rest = amount
      for (const pods of gone) for (const pod of pods) rest -= freedBy(pod, resource)
      return { resource, amount: rest }
    })
    .filter(({ amount }) => amount > 0)

/** The distance of a single pod from the requirements: each resource counts equally, 0 if the pod frees everything. */
const distance = (requirements: ReadonlyArray<MissingResource>, pod: Candidate): number => {
  let sum = 0
  for (const { amount, resource } of requirements) {
    const rest = amount - freedBy(pod, resource)
    const share = rest / amount
    if (rest > 0) sum += share * share
  }
  return sum
}

/** Whether a pod requests less memory, or equal memory and less or equal cpu. */
const isSmaller = (left: Candidate, right: Candidate): boolean => {
  for (const resource of ["memory", "cpu"]) {
    const difference = freedBy(left, resource) - freedBy(right, resource)
    if (difference !== 0) return difference < 0
  }
  return true
}

const describe = (requirements: ReadonlyArray<MissingResource>): string => {
  const list = requirements.map(({ amount, resource }) => `(res: ${resource}, q: ${amount}), `)
  return `no set of running pods found to reclaim resources: [${list.join("")}]`
}

/** Selects the pod with the least distance repeatedly until nothing is missing. The pods are known to suffice. */
const nearest = (
  pods: ReadonlyArray<Candidate>,
  requirements: ReadonlyArray<MissingResource>
): ReadonlyArray<Candidate> => {
  const left = [...pods]
  const taken: Array<Candidate> = []
  let missing = requirements
  while (missing.length > 0) {
    let best = 0
    let bestDistance = Number.POSITIVE_INFINITY
    left.forEach((pod, index) => {
      const far = distance(missing, pod)
      const current = left[best]
      if (far < bestDistance || (far === bestDistance && current !== undefined && isSmaller(pod, current))) {
        bestDistance = far
        best = index
      }
    })
    const chosen = left[best]
    const last = left.pop()
    if (chosen === undefined || last === undefined) return taken
    // The last one replaces the chosen one: later ties are decided in that order.
    if (best < left.length) left[best] = last
    taken.push(chosen)
    missing = without(missing, [chosen])
  }
  return taken
}

/**
 * The pods to preempt for a critical one, in order: as few and as small as possible of the guaranteed (assuming all
 * others are gone), then of the burstable, then of the rest; an error if all together do not suffice.
 * Upstream: pkg/kubelet/preemption/preemption.go getPodsToPreempt.
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
    list.push(candidate(pod, gates))
  }
  const unmet = without(requirements, bestEffort, burstable, guaranteed)
  if (unmet.length > 0) return Result.fail(describe(unmet))
  const fromGuaranteed = nearest(guaranteed, without(requirements, bestEffort, burstable))
  const fromBurstable = nearest(burstable, without(requirements, bestEffort, fromGuaranteed))
  const fromBestEffort = nearest(bestEffort, without(requirements, fromBurstable, fromGuaranteed))
  return Result.succeed([...fromBestEffort, ...fromBurstable, ...fromGuaranteed].map(({ pod }) => pod))
}
