import type { Container, ContainerStatus, PodCondition, PodSpec } from "@rollcall/api"
import { isSidecar } from "./ContainerRestart.ts"
import type { Phase } from "./PodPhase.ts"

/** A generated condition without times, which the status manager adds. */
export interface PodConditionDraft {
  readonly status: "True" | "False"
  readonly reason?: string
  readonly message?: string
}

type Statuses = ReadonlyArray<ContainerStatus> | undefined

const TRUE: PodConditionDraft = { status: "True" }
const COMPLETED: PodConditionDraft = { status: "False", reason: "PodCompleted" }
const FAILED: PodConditionDraft = { status: "False", reason: "PodFailed" }
const UNKNOWN: PodConditionDraft = { status: "False", reason: "UnknownContainerStatuses" }
const INITIALIZED_COMPLETED: PodConditionDraft = { status: "True", reason: "PodCompleted" }

/** Returns the conditions Ready and ContainersReady, which are equal, in a terminal phase. */
export const readinessOfTerminalPhase = (phase: Phase): PodConditionDraft => (phase === "Failed" ? FAILED : COMPLETED)

const statusOf = (statuses: ReadonlyArray<ContainerStatus>, { name }: Container) =>
  statuses.find((status) => status.name === name)

const names = (containers: ReadonlyArray<Container>): string => `[${containers.map(({ name }) => name).join(" ")}]`

/**
 * The message about containers without a status, and about those whose status is `adjective`; empty if there are none.
 */
const unmetMessage = (
  unknown: ReadonlyArray<Container>,
  adjective: string,
  unmet: ReadonlyArray<Container>
): string => {
  const parts: Array<string> = []
  if (unknown.length > 0) parts.push(`containers with unknown status: ${names(unknown)}`)
  if (unmet.length > 0) parts.push(`containers with ${adjective} status: ${names(unmet)}`)
  return parts.join(", ")
}

/**
 * Returns the condition ContainersReady: whether all regular containers and sidecars are ready. Upstream:
 * pkg/kubelet/status/generate.go, also for the functions below.
 */
export const containersReadyCondition = (spec: PodSpec, statuses: Statuses, phase: Phase): PodConditionDraft => {
  if (statuses === undefined) return UNKNOWN
  const containers = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers]
  const unknown = containers.filter((container) => statusOf(statuses, container) === undefined)
  if (phase === "Failed" || (phase === "Succeeded" && unknown.length === 0)) return readinessOfTerminalPhase(phase)
  const unready = containers.filter((container) => {
    const status = statusOf(statuses, container)
    return status !== undefined && status.ready !== true
  })
  const message = unmetMessage(unknown, "unready", unready)
  return message === "" ? TRUE : { status: "False", reason: "ContainersNotReady", message }
}

/** Returns the condition Ready: ContainersReady while that is not True, otherwise by the readiness gates. */
export const podReadyCondition = (
  spec: PodSpec,
  conditions: ReadonlyArray<PodCondition>,
  statuses: Statuses,
  phase: Phase
): PodConditionDraft => {
  const containersReady = containersReadyCondition(spec, statuses, phase)
  if (containersReady.status !== "True" || spec.readinessGates === undefined) return containersReady
  const unmet: Array<string> = []
  for (const { conditionType } of spec.readinessGates) {
    const condition = conditions.find(({ type }) => type === conditionType)
    const gate = `readiness gate ${JSON.stringify(conditionType)}`
    if (condition === undefined) unmet.push(`corresponding condition of pod ${gate} does not exist.`)
    else if (condition.status !== "True") unmet.push(`the status of pod ${gate} is not "True", but ${condition.status}`)
  }
  return unmet.length === 0 ? TRUE : { status: "False", reason: "ReadinessGatesNotReady", message: unmet.join(", ") }
}

const hasStarted = ({ state }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined

/** Whether a regular container has run. The pod then counts as initialized for good. */
export const hasRegularContainerStarted = (spec: PodSpec, statuses: ReadonlyArray<ContainerStatus>): boolean =>
  statuses.some((status) => hasStarted(status) && spec.containers.some(({ name }) => name === status.name))

const isDone = (container: Container, status: ContainerStatus): boolean =>
  isSidecar(container) ? status.started === true : status.ready === true

/**
 * Returns the condition Initialized: whether all init containers have completed, and all sidecars have started. With
 * `staysTrue` it was True before, and stays so although they run again.
 */
export const initializedCondition = (
  spec: PodSpec,
  statuses: Statuses,
  phase: Phase,
  staysTrue = false
): PodConditionDraft => {
  const inits = spec.initContainers ?? []
  if (statuses === undefined) return inits.length > 0 ? UNKNOWN : phase === "Succeeded" ? INITIALIZED_COMPLETED : TRUE
  const unknown = inits.filter((container) => statusOf(statuses, container) === undefined)
  if (phase === "Succeeded" && unknown.length === 0) return INITIALIZED_COMPLETED
  if (staysTrue || hasRegularContainerStarted(spec, statuses)) return TRUE
  const incomplete = inits.filter((container) => {
    const status = statusOf(statuses, container)
    return status !== undefined && !isDone(container, status)
  })
  const message = unmetMessage(unknown, "incomplete", incomplete)
  return message === "" ? TRUE : { status: "False", reason: "ContainersNotInitialized", message }
}

/**
 * Returns the condition AllContainersRestarting of a pod that one of its containers may restart whole. Upstream:
 * pkg/kubelet/status/generate.go GenerateAllContainersRestartingCondition.
 */
export const allContainersRestartingCondition = (restartsAll: boolean, phase: Phase): PodConditionDraft => {
  if (phase === "Succeeded" || phase === "Failed") return readinessOfTerminalPhase(phase)
  if (!restartsAll) return { status: "False" }
  return { status: "True", reason: "RestartAllContainersStarted", message: "container exited with restart policy rule" }
}
