import { type ContainerState, type ContainerStatus, isSidecar, type Pod, parseTime } from "@rollcall/api"

/** The values in the row of a pod. */
export interface PodSummary {
  readonly status: string
  readonly readyContainers: number
  readonly totalContainers: number
  readonly restarts: number
  /** When a container last ended before a restart, in milliseconds since the Unix epoch; NaN if no status has it. */
  readonly lastRestartMs: number
}

const hasCondition = (pod: Pod, wanted: string): boolean =>
  pod.status?.conditions?.some(({ status, type }) => type === wanted && status === "True") ?? false

/** Sums up the restarts of containers. */
class Restarts {
  count = 0
  lastMs = Number.NaN

  add({ lastState, restartCount }: ContainerStatus): void {
    this.count += restartCount ?? 0
    const ended = lastState?.terminated?.finishedAt
    if (ended === undefined || ended === null) return
    const ms = parseTime(ended)
    if (Number.isNaN(this.lastMs) || ms > this.lastMs) this.lastMs = ms
  }
}

const terminatedText = ({ exitCode, reason, signal }: NonNullable<ContainerState["terminated"]>): string => {
  if (reason) return reason
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

interface InitState {
  /** The status text of the pod; undefined once all init containers have completed. */
  readonly status: string | undefined
  readonly readySidecars: number
  /** The restarts of all init containers. */
  readonly all: Restarts
  /** The restarts of those that are sidecars. */
  readonly sidecars: Restarts
}

/** Returns the state of the first init container that has not completed. */
const initState = (pod: Pod): InitState => {
  const { initContainers = [] } = pod.spec
  const sidecarNames = new Set(initContainers.filter(isSidecar).map(({ name }) => name))
  const all = new Restarts()
  const sidecars = new Restarts()
  let readySidecars = 0
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecarNames.has(container.name)
    const { terminated, waiting } = container.state ?? {}
    all.add(container)
    if (sidecar) sidecars.add(container)
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue
    if (sidecar && container.started === true) {
      if (container.ready === true) readySidecars++
      continue
    }
    const waitingReason = waiting?.reason === "PodInitializing" ? "" : (waiting?.reason ?? "")
    const what =
      terminated === undefined ? waitingReason || `${index}/${initContainers.length}` : terminatedText(terminated)
    return { status: `Init:${what}`, readySidecars, all, sidecars }
  }
  return { status: undefined, readySidecars, all, sidecars }
}

interface MainState {
  readonly status: string
  readonly ready: number
}

/** Returns the state of the main containers. They are visited from last to first, so that the first one decides. */
const mainState = (pod: Pod, before: string, restarts: Restarts): MainState => {
  let status = before
  let error: string | undefined
  let ready = 0
  for (const container of (pod.status?.containerStatuses ?? []).toReversed()) {
    const { running, terminated, waiting } = container.state ?? {}
    restarts.add(container)
    if (waiting?.reason) status = waiting.reason
    else if (terminated !== undefined) {
      status = terminatedText(terminated)
      if ((terminated.exitCode ?? 0) !== 0) error = status
    } else if (container.ready === true && running !== undefined) ready++
  }
  if (status !== "Completed") return { status, ready }
  if (ready > 0 && hasCondition(pod, "Ready")) return { status: "Running", ready }
  if (error !== undefined) return { status: error, ready }
  return { status: ready > 0 ? "NotReady" : status, ready }
}

const phaseText = ({ status }: Pod): string => {
  const gated = status?.conditions?.some(({ reason, type }) => type === "PodScheduled" && reason === "SchedulingGated")
  return gated === true ? "SchedulingGated" : status?.reason || (status?.phase ?? "")
}

const isOver = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"

const deletedText = (pod: Pod, status: string): string => {
  if (pod.metadata.deletionTimestamp === undefined) return status
  if (pod.status?.reason === "NodeLost") return "Unknown"
  return isOver(pod) ? status : "Terminating"
}

/**
 * Computes the status text of a pod, and its counts. Restarts of plain init containers are not counted once the pod is
 * initialized. Upstream: pkg/printers/internalversion/printers.go, printPod.
 */
export const summarizePod = (pod: Pod): PodSummary => {
  const init = initState(pod)
  const initialized = init.status === undefined || hasCondition(pod, "Initialized")
  const restarts = initialized ? init.sidecars : init.all
  const before = init.status ?? phaseText(pod)
  const { ready, status } = initialized ? mainState(pod, before, restarts) : { status: before, ready: 0 }
  return {
    status: deletedText(pod, status),
    readyContainers: init.readySidecars + ready,
    totalContainers: pod.spec.containers.length + (pod.spec.initContainers ?? []).filter(isSidecar).length,
    restarts: restarts.count,
    lastRestartMs: restarts.lastMs
  }
}
