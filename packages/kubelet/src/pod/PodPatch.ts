import type { Pod, PodCondition, PodStatus } from "@rollcall/api"
import { conditionsDiff, mergeDiff, replacedList } from "../internal/mergeDiff.ts"
import { readinessOfTerminalPhase } from "./PodConditions.ts"
import { isStaticPod, isTerminal, type Phase } from "./PodPhase.ts"
import { isOwnCondition, isOwnDisruption } from "./PodStatusOf.ts"

type Fields = Readonly<Record<string, unknown>>

/** The fields of a pod's status that its kubelet writes, except lists that a strategic merge patch merges by key. */
const plainFields = [
  "observedGeneration",
  "phase",
  "message",
  "reason",
  "hostIP",
  "podIP",
  "startTime",
  "initContainerStatuses",
  "containerStatuses",
  "ephemeralContainerStatuses",
  "allocatedResources",
  "resources",
  "qosClass"
] as const

/**
 * The conditions that the kubelet writes. Its disruption condition is only written together with the terminal phase.
 */
const ownConditions = ({ conditions, phase }: PodStatus) => {
  const isOwn = (condition: PodCondition) =>
    isOwnCondition(condition.type) || (isTerminal(phase) && isOwnDisruption(condition))
  return conditions?.every(isOwn) === true ? conditions : conditions?.filter(isOwn)
}

const isResize = ({ type }: PodCondition): boolean => type === "PodResizePending" || type === "PodResizeInProgress"

/** Returns the part of a patch that removes the conditions of a resize that has ended. */
const endedResizes = ({ conditions = [] }: PodStatus, wanted: PodStatus): ReadonlyArray<Fields> =>
  conditions.some(isResize)
    ? conditions
        .filter((condition) => isResize(condition) && !wanted.conditions?.some(({ type }) => type === condition.type))
        .map(({ type }) => ({ $patch: "delete", type }))
    : []

const addressesPart = (current: PodStatus, wanted: PodStatus): Fields => ({
  ...(current.hostIP === wanted.hostIP ? {} : { hostIPs: replacedList(wanted.hostIPs) }),
  ...(current.podIP === wanted.podIP ? {} : { podIPs: replacedList(wanted.podIPs) })
})

const notReady = (condition: PodCondition, phase: Phase): PodCondition =>
  condition.status === "True" && (condition.type === "Ready" || condition.type === "ContainersReady")
    ? { ...condition, ...readinessOfTerminalPhase(phase) }
    : condition

/**
 * Returns the computed status with the terminal phase, reason and message of the first status. The pod is not ready.
 */
const withTerminalPhaseOf = (
  { message, phase, reason }: PodStatus,
  { message: _, reason: _reason, ...computed }: PodStatus
): PodStatus => ({
  ...computed,
  ...(phase === undefined ? {} : { phase }),
  ...(message === undefined ? {} : { message }),
  ...(reason === undefined ? {} : { reason }),
  ...(computed.conditions === undefined
    ? {}
    : { conditions: computed.conditions.map((condition) => notReady(condition, phase as Phase)) })
})

/**
 * Returns the strategic merge patch of pods/status that applies the kubelet's part of `computed` to the API's version,
 * or undefined if nothing differs. It has the pod's uid as precondition, to protect a later pod with the same name.
 *
 * A terminal phase in the API is kept, with its reason: the pod garbage collector, or an eviction by a kubelet, has set
 * it since the status was computed. So that no version that the kubelet has not seen comes back to life, a patch with
 * another phase also has the resourceVersion as precondition: the API refuses it (Conflict) if there is a later version.
 * A terminal phase is written as upstream does, over any version: a pod that ends is what controllers change, and each
 * of their changes would refuse it. The phase of a static pod is written in any case, because a static pod may start
 * again after it has terminated.
 *
 * Upstream: pkg/util/pod/pod.go PatchPodStatus, after a fresh read of the pod; pkg/kubelet/kubelet_pods.go
 * generateAPIPodStatus.
 */
export const podPatch = (pod: Pod, computed: PodStatus): Fields | undefined => {
  const current = pod.status ?? {}
  if (current === computed) return undefined
  const isStatic = isStaticPod(pod)
  const hasNoReason = computed.reason === undefined && computed.message === undefined
  const keepsPhase = isTerminal(current.phase) && (computed.phase !== current.phase || hasNoReason) && !isStatic
  const wanted = keepsPhase ? withTerminalPhaseOf(current, computed) : computed
  const conditions = conditionsDiff(ownConditions(current), ownConditions(wanted))
  const ended = endedResizes(current, wanted)
  const status: Fields = {
    ...mergeDiff(current as Fields, wanted as Fields, plainFields),
    ...addressesPart(current, wanted),
    ...(conditions.length + ended.length === 0 ? {} : { conditions: [...conditions, ...ended] })
  }
  if (Object.keys(status).length === 0) return undefined
  const { resourceVersion, uid } = pod.metadata
  const revives = status.phase !== undefined && !isTerminal(wanted.phase)
  const needsVersion = revives && !isStatic && resourceVersion !== undefined
  return { metadata: needsVersion ? { uid, resourceVersion } : { uid }, status }
}
