import type { Pod, PodCondition, PodStatus } from "@rollcall/api"
import { conditionsDiff, mergeDiff, replacedList } from "../internal/mergeDiff.ts"
import { readinessOfTerminalPhase } from "./PodConditions.ts"
import { isStaticPod, isTerminal, type Phase } from "./PodPhase.ts"
import { isOwnCondition, isOwnDisruption } from "./PodStatusOf.ts"

type Fields = Readonly<Record<string, unknown>>

/** The fields of a pod's status that its kubelet writes, but for those whose lists merge. */
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
  "qosClass"
] as const

/** That a pod was disrupted is said together with its terminal phase only. */
const ownPart = (status: PodStatus) =>
  status.conditions?.filter(
    (condition) => isOwnCondition(condition.type) || (isTerminal(status.phase) && isOwnDisruption(condition))
  )

const addressesPart = (held: PodStatus, wanted: PodStatus): Fields => ({
  ...(held.hostIP === wanted.hostIP ? {} : { hostIPs: replacedList(wanted.hostIPs) }),
  ...(held.podIP === wanted.podIP ? {} : { podIPs: replacedList(wanted.podIPs) })
})

const notReady = (condition: PodCondition, phase: Phase): PodCondition =>
  condition.status === "True" && (condition.type === "Ready" || condition.type === "ContainersReady")
    ? { ...condition, ...readinessOfTerminalPhase(phase) }
    : condition

/** What is meant, but for a terminal phase that the API has: with its reason and message, and no pod is ready in it. */
const ended = (
  { message, phase, reason }: PodStatus,
  { message: _, reason: _reason, ...meant }: PodStatus
): PodStatus => ({
  ...meant,
  ...(phase === undefined ? {} : { phase }),
  ...(message === undefined ? {} : { message }),
  ...(reason === undefined ? {} : { reason }),
  ...(meant.conditions === undefined
    ? {}
    : { conditions: meant.conditions.map((condition) => notReady(condition, phase as Phase)) })
})

/**
 * The strategic merge patch of pods/status that makes the kubelet's part of `wanted` of what the API holds; undefined when the
 * API holds it already. Bound to the pod's uid: a pod of the same name that came later is not touched. A terminal phase stays, with
 * its reason: the pod garbage collector, or a kubelet's eviction, has stated it since the status was worked out. So that this holds
 * for what has not been seen yet, too, a patch with a phase is bound to the revision that it was made from: the API refuses it
 * (Conflict) where there is a later one. A static pod's runs again.
 * Upstream: pkg/util/pod/pod.go PatchPodStatus, after a fresh read of the pod; pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
 */
export const podPatch = (pod: Pod, meant: PodStatus): Fields | undefined => {
  const held = pod.status ?? {}
  if (held === meant) return undefined
  const isStatic = isStaticPod(pod)
  const isSilent = meant.reason === undefined && meant.message === undefined
  const stays = isTerminal(held.phase) && (meant.phase !== held.phase || isSilent) && !isStatic
  const wanted = stays ? ended(held, meant) : meant
  const conditions = conditionsDiff(ownPart(held), ownPart(wanted))
  const status: Fields = {
    ...mergeDiff(held as Fields, wanted as Fields, plainFields),
    ...addressesPart(held, wanted),
    ...(conditions.length === 0 ? {} : { conditions })
  }
  if (Object.keys(status).length === 0) return undefined
  const { resourceVersion, uid } = pod.metadata
  const bound = status.phase !== undefined && !isStatic && resourceVersion !== undefined
  return { metadata: bound ? { uid, resourceVersion } : { uid }, status }
}
