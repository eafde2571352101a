import type { Pod, PodCondition, PodStatus } from "@rollcall/api"
import { conditionsDiff, mergeDiff, replacedList } from "../internal/mergeDiff.ts"
import { readinessOfTerminalPhase } from "./PodConditions.ts"
import { isStaticPod, isTerminal, type Phase } from "./PodPhase.ts"
import { isOwnCondition, isOwnDisruption } from "./PodStatusOf.ts"

type Fields = Readonly<Record<string, unknown>>

/** The fields of a pod's status that its kubelet writes, except those whose lists merge. */
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

/** The disruption condition is only written together with the terminal phase. */
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

/**
 * The kubelet's status, unless the API has a terminal phase: that is kept with its reason and message, and the pod is
 * not ready.
 */
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
 * The strategic merge patch of pods/status that applies the kubelet's part of `wanted` to the API's version; undefined
 * when nothing differs. It has the pod's uid as precondition, to protect a later pod with the same name. A terminal
 * phase is kept, with its reason: the pod garbage collector, or an eviction by a kubelet, has set it since the status
 * was computed. For this to hold for unseen versions too, a patch with a phase has the resourceVersion of its basis as
 * precondition: the API refuses it (Conflict) if there is a later one. A static pod's phase may restart.
 * Upstream: pkg/util/pod/pod.go PatchPodStatus, after a fresh read of the pod; pkg/kubelet/kubelet_pods.go
 * generateAPIPodStatus.
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
