import {
  type FeatureGates,
  mayRestartAllContainers,
  type Pod,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  podDisruptionTarget,
  qosClassOf
} from "@rollcall/api"
import type { ResizeGates } from "../allocation/Allocation.ts"
import { type PodResize, resizeConditions } from "../allocation/PodResize.ts"
import { podLevelStatus } from "../allocation/podLevelStatus.ts"
import { withStatusResources } from "../allocation/statusResources.ts"
import type { HostIPs } from "../node/HostIPs.ts"
import type { Containers } from "./Containers.ts"
import { withContainerDetails } from "./containerDetails.ts"
import { statusesBeforeEnd } from "./containersEnded.ts"
import {
  allContainersRestartingCondition,
  containersReadyCondition,
  hasRegularContainerStarted,
  initializedCondition,
  type PodConditionDraft,
  podReadyCondition
} from "./PodConditions.ts"
import type { PodKill } from "./PodKill.ts"
import { isStaticPod, isTerminal, type Phase, podPhase } from "./PodPhase.ts"

/** The conditions that only the kubelet writes, in the order in which it writes them. */
const ownConditions = [
  "PodResizePending",
  "PodResizeInProgress",
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting"
] as const

/** Whether only the kubelet writes conditions of this type. */
export const isOwnCondition = (type: PodCondition["type"]): boolean => ownConditions.some((own) => own === type)

/** The reason of a DisruptionTarget condition that a kubelet writes. */
const BY_KUBELET = "TerminationByKubelet"

/** Whether a DisruptionTarget condition is the kubelet's own. Those of other components are not changed. */
export const isOwnDisruption = ({ reason, type }: PodCondition): boolean =>
  type === podDisruptionTarget && reason === BY_KUBELET

/** What the kubelet knows of a pod besides the object in the API. */
export interface PodKnowledge {
  readonly containers: Containers
  /** The kubelet's previous status of the pod; times are kept from there. */
  readonly previous: PodStatus
  /** Whether the pod has a sandbox with a network. */
  readonly sandbox: boolean
  /** Whether something of the pod may still run on the node. */
  readonly mayRun: boolean
  /** Whether the kubelet terminates the pod, so that nothing is restarted. */
  readonly terminating: boolean
  /** The kill with which the kubelet itself terminated the pod; undefined if it did not. */
  readonly killed: PodKill | undefined
  /** Whether the pod counts as failed already, before its containers have stopped. */
  readonly failing?: boolean
  /** The node's IPs: one, or one of each family; none while they are unknown. */
  readonly hostIPs: HostIPs
  readonly podIP: string | undefined
  /** `metav1.Time` of the node's clock. */
  readonly now: string
  /** The resize of the pod, if one is pending or in progress. */
  readonly resize?: PodResize | undefined
  /** The gates of the release; absent means that those of conditions are on. */
  readonly gates?: Pick<
    FeatureGates,
    | "InPlacePodVerticalScaling"
    | "PodObservedGenerationTracking"
    | "PodReadyToStartContainersCondition"
    | "RecursiveReadOnlyMounts"
    | "RestartAllContainersOnContainerExits"
    | "SupplementalGroupsPolicy"
  > &
    ResizeGates
  /** Whether all containers are being restarted because one of them requested that. */
  readonly restartsAll?: boolean
}

const RESTARTING = "AllContainersRestarting"
const TRUE: PodConditionDraft = { status: "True" }
const FALSE: PodConditionDraft = { status: "False" }

const conditionOf = (
  type: PodCondition["type"],
  draft: PodConditionDraft,
  old: PodCondition | undefined,
  generation: number | undefined,
  now: string
): PodCondition => ({
  type,
  ...(generation === undefined ? {} : { observedGeneration: generation }),
  lastTransitionTime: old?.status === draft.status ? (old.lastTransitionTime ?? now) : now,
  ...draft
})

const disruptionConditions = (
  { disruption }: PodKill,
  old: PodCondition | undefined,
  generation: number | undefined,
  now: string
): ReadonlyArray<PodCondition> =>
  disruption === undefined
    ? []
    : [
        conditionOf(
          podDisruptionTarget,
          { status: "True", reason: BY_KUBELET, message: disruption },
          old,
          generation,
          now
        )
      ]

/**
 * Returns the phase to report: a pod of which something may still run has no new terminal one. Upstream:
 * pkg/kubelet/status/status_manager.go mergePodStatus.
 */
const reportedPhase = (phase: Phase, mayRun: boolean, previous: PodStatus): Phase =>
  !mayRun || !isTerminal(phase) ? phase : previous.phase === "Running" ? "Running" : "Pending"

/**
 * Returns the phase of a pod whose containers show this one: a pod of the API that has ended before its containers have
 * is failed. Upstream: pkg/kubelet/status/status_manager.go TerminatePod.
 */
const endedPhase = (pod: Pod, shown: Phase, terminating: boolean): Phase =>
  terminating && !isTerminal(shown) && !isStaticPod(pod) ? "Failed" : shown

const terminalPhase = (phase: string | undefined): Phase | undefined =>
  isTerminal(phase) ? (phase as Phase) : undefined

const addresses = (hostIPs: HostIPs, podIP: string | undefined): Partial<PodStatus> => {
  const hostIP = hostIPs[0]?.ip
  return {
    ...(hostIP === undefined ? {} : { hostIP, hostIPs }),
    // A pod in the host's network has all of the node's addresses.
    ...(podIP === undefined ? {} : { podIP, podIPs: podIP === hostIP ? hostIPs : [{ ip: podIP }] })
  }
}

const restartsInPlace = (gates: PodKnowledge["gates"]): boolean => gates?.RestartAllContainersOnContainerExits !== false

/** Returns the condition of pods whose containers may all be restarted by one of them. It has no generation. */
const restartingConditions = (
  spec: PodSpec,
  { gates, now, previous, restartsAll = false }: PodKnowledge,
  phase: Phase
): ReadonlyArray<PodCondition> => {
  if (!restartsInPlace(gates) || !mayRestartAllContainers(spec)) return []
  const old = previous.conditions?.find(({ type }) => type === RESTARTING)
  return [conditionOf(RESTARTING, allContainersRestartingCondition(restartsAll, phase), old, undefined, now)]
}

/** The generation that the kubelet reports as observed; none in a release without this field. */
const observedOf = (
  { metadata: { generation } }: Pod,
  gates: PodKnowledge["gates"]
): Pick<PodStatus, "observedGeneration"> =>
  gates?.PodObservedGenerationTracking === false || generation === undefined ? {} : { observedGeneration: generation }

/**
 * Returns the status of a pod as its kubelet posts it. A terminal phase never changes again, a condition's transition
 * time changes only with its status, the start time is set once, and conditions of other writers stay as in the API.
 * Upstream: pkg/kubelet/kubelet_pods.go generateAPIPodStatus; pkg/kubelet/status/status_manager.go.
 */
export const podStatusOf = (pod: Pod, knowledge: PodKnowledge): PodStatus => {
  const { failing, gates, hostIPs, killed, mayRun, now, podIP, previous, resize, sandbox, terminating } = knowledge
  const reportsResources = gates?.InPlacePodVerticalScaling === true
  const detailed = gates === undefined ? knowledge.containers : withContainerDetails(knowledge.containers, pod, gates)
  const containers = reportsResources ? withStatusResources(detailed, pod, resize) : detailed
  const { spec } = pod
  const observed = observedOf(pod, gates)
  const generation = observed.observedGeneration
  const { init, regular } = containers
  const all = init.length === 0 ? regular : [...init, ...regular]
  const statuses = terminating ? statusesBeforeEnd(all) : all
  const initialized = hasRegularContainerStarted(spec, statuses)
  const before = terminalPhase(previous.phase) ?? terminalPhase(pod.status?.phase)
  const isFailed = killed !== undefined || failing === true
  /** The phase by the containers, which the conditions show at once. */
  const shown = before ?? (isFailed ? "Failed" : podPhase(pod, statuses, terminating, initialized))
  const phase = before ?? reportedPhase(endedPhase(pod, shown, terminating), mayRun, previous)
  const apiConditions = (pod.status?.conditions ?? []).filter(({ type }) => !isOwnCondition(type))
  const old = (type: PodCondition["type"]) => previous.conditions?.find((condition) => condition.type === type)
  const disruption =
    killed === undefined
      ? []
      : disruptionConditions(
          killed,
          apiConditions.find(({ type }) => type === podDisruptionTarget),
          generation,
          now
        )
  const otherConditions =
    disruption.length === 0
      ? apiConditions
      : [...apiConditions.filter(({ type }) => type !== podDisruptionTarget), ...disruption]
  const wasInitialized = restartsInPlace(gates) && old("Initialized")?.status === "True"
  const condition = (type: PodCondition["type"], draft: PodConditionDraft) =>
    conditionOf(type, draft, old(type), generation, now)
  // Reason and message stay with the phase: from this kubelet's previous status, or, since its start, from the API's.
  const source = previous.phase === phase ? previous : pod.status?.phase === phase ? pod.status : {}
  const { message = source.message, reason = source.reason } = killed ?? {}
  const qosClass = pod.status?.qosClass ?? qosClassOf(pod)
  return {
    ...observed,
    phase,
    conditions: [
      ...(isTerminal(phase) ? [] : resizeConditions(resize)),
      ...otherConditions,
      ...(gates?.PodReadyToStartContainersCondition === false
        ? []
        : [condition("PodReadyToStartContainers", sandbox ? TRUE : FALSE)]),
      condition("Initialized", initializedCondition(spec, statuses, shown, wasInitialized)),
      condition("Ready", podReadyCondition(spec, otherConditions, statuses, shown)),
      condition("ContainersReady", containersReadyCondition(spec, statuses, shown)),
      condition("PodScheduled", TRUE),
      ...restartingConditions(spec, knowledge, phase)
    ],
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...addresses(hostIPs, podIP),
    startTime: previous.startTime ?? pod.status?.startTime ?? now,
    ...(containers.init.length === 0 ? {} : { initContainerStatuses: containers.init }),
    containerStatuses: containers.regular,
    ...(containers.ephemeral === undefined ? {} : { ephemeralContainerStatuses: containers.ephemeral }),
    ...(reportsResources ? podLevelStatus(pod, resize, gates, terminating) : {}),
    qosClass
  }
}

/**
 * Returns the status of a pod that was refused at admission, with upstream's prefix of the message. Upstream:
 * pkg/kubelet/kubelet.go rejectPod.
 */
export const rejectedStatus = (
  pod: Pod,
  reason: string,
  message: string,
  now: string,
  gates?: PodKnowledge["gates"]
): PodStatus => ({
  ...observedOf(pod, gates),
  phase: "Failed",
  reason,
  message: `Pod was rejected: ${message}`,
  startTime: now,
  qosClass: pod.status?.qosClass ?? qosClassOf(pod)
})
