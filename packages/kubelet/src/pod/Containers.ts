import type { Container, ContainerState, ContainerStatus, Pod } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import type { StartFailure } from "../runtime/PodRuntime.ts"
import { isSidecar } from "./ContainerRestart.ts"

/** The statuses of a pod's containers, in the order of the spec. */
export interface Containers {
  readonly init: ReadonlyArray<ContainerStatus>
  readonly regular: ReadonlyArray<ContainerStatus>
  /** Absent if the pod has no ephemeral containers. */
  readonly ephemeral?: ReadonlyArray<ContainerStatus>
}

const NO_STATUSES: ReadonlyArray<ContainerStatus> = []

/** The reason of containers that are restarted because another one requested that. */
export const RESTARTING_ALL = "RestartingAllContainers"

const CREATING: ContainerState = { waiting: { reason: "ContainerCreating" } }
const INITIALIZING: ContainerState = { waiting: { reason: "PodInitializing" } }

/** Exit code and reason of a container whose machine lost power. */
const LOST_EXIT_CODE = 255
const LOST_REASON = "Unknown"
/** The exit code of a container without known state. */
export const UNKNOWN_EXIT_CODE = 137
const mapStatuses = (containers: Containers, change: (status: ContainerStatus) => ContainerStatus): Containers => ({
  init: containers.init.map(change),
  regular: containers.regular.map(change),
  ...(containers.ephemeral === undefined ? {} : { ephemeral: containers.ephemeral.map(change) })
})

/** Changes the status of the container with this name. */
const mapOne = (
  containers: Containers,
  name: string,
  change: (status: ContainerStatus) => ContainerStatus
): Containers => mapStatuses(containers, (status) => (status.name === name ? change(status) : status))

/**
 * Returns the id of a container. Runtimes use 64 hexadecimal digits; here they are derived from the pod's uid, the
 * number of the start and the name.
 */
const idOf = (pod: Pod, name: string, attempt: number): string => {
  const uid = (pod.metadata.uid ?? "").replaceAll("-", "")
  return `containerd://${`${uid}${attempt.toString(16).padStart(4, "0")}`.padEnd(64, fnv1a(name).toString(16).padStart(8, "0"))}`
}

/**
 * Returns the statuses of the containers of a newly admitted pod. Upstream: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses.
 */
export const containersCreating = (pod: Pod): Containers => {
  const { containers, initContainers } = pod.spec
  const state = initContainers !== undefined && initContainers.length > 0 ? INITIALIZING : CREATING
  const creating = ({ image = "", name }: Container): ContainerStatus => ({
    name,
    state,
    ready: false,
    started: false,
    restartCount: 0,
    image,
    imageID: ""
  })
  return { init: initContainers?.map(creating) ?? NO_STATUSES, regular: containers.map(creating) }
}

/**
 * Returns the `lastState` for the next instance of a container: its last termination, which stays visible meanwhile.
 */
const lastState = ({ lastState, state }: ContainerStatus): { readonly lastState?: ContainerState } =>
  state?.terminated !== undefined
    ? { lastState: { terminated: state.terminated } }
    : lastState === undefined
      ? {}
      : { lastState }

/** The number of the container's next start, counted from 0. */
const attemptOf = (status: ContainerStatus | undefined): number => {
  if (status === undefined) return 0
  // The restart count of containers that were removed counts their next start already.
  const { lastState: { terminated: last } = {}, state } = status
  const ran = state?.terminated !== undefined || (last !== undefined && last.reason !== RESTARTING_ALL)
  return (status.restartCount ?? 0) + (ran ? 1 : 0)
}

/** The results of a container's probes. */
export interface Checks {
  readonly ready: boolean
  readonly started: boolean
}

const UNCHECKED: Checks = { ready: true, started: true }
/** A container whose probes have not begun. */
export const NOT_YET: Checks = { ready: false, started: false }
/** An init container that runs: it is ready once it has completed. */
export const INIT_CHECKS: Checks = { ready: false, started: true }

const running = (
  pod: Pod,
  name: string,
  image: string,
  before: ContainerStatus | undefined,
  now: string,
  { ready, started }: Checks = UNCHECKED
): ContainerStatus => {
  const attempt = attemptOf(before)
  return {
    name,
    state: { running: { startedAt: now } },
    ...(before === undefined ? {} : lastState(before)),
    ready,
    started,
    restartCount: attempt,
    image,
    imageID: image,
    containerID: idOf(pod, name, attempt)
  }
}

const completed = (
  pod: Pod,
  name: string,
  image: string,
  before: ContainerStatus | undefined,
  now: string
): ContainerStatus => {
  const attempt = attemptOf(before)
  const containerID = idOf(pod, name, attempt)
  return {
    name,
    state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now, containerID } },
    ready: true,
    started: false,
    restartCount: attempt,
    image,
    imageID: image,
    containerID
  }
}

/** Returns the statuses after a start as a whole: init containers have completed, the others run. */
export const containersStarted = (pod: Pod, before: Containers, now: string): Containers => ({
  ...before,
  init:
    pod.spec.initContainers?.map((container, index) => {
      const make = isSidecar(container) ? running : completed
      return make(pod, container.name, container.image ?? "", before.init[index], now)
    }) ?? NO_STATUSES,
  regular: pod.spec.containers.map(({ image = "", name }, index) =>
    running(pod, name, image, before.regular[index], now)
  )
})

/** Returns the statuses after the start or restart of one container. */
export const containerStarted = (
  pod: Pod,
  containers: Containers,
  name: string,
  now: string,
  image: string,
  checks?: Checks
): Containers => mapOne(containers, name, (status) => running(pod, name, image, status, now, checks))

/** Returns the statuses with that of an ephemeral container that is being started. It is never ready. */
export const ephemeralCreating = (containers: Containers, { image = "", name }: Partial<Container>): Containers => {
  const status = { name: name ?? "", state: CREATING, ready: false, restartCount: 0, image, imageID: "" }
  return { ...containers, ephemeral: [...(containers.ephemeral ?? []), status] }
}

/** Returns the statuses after a failed start of an ephemeral container. */
export const ephemeralWaits = (containers: Containers, name: string, waiting: StartFailure): Containers =>
  mapOne(containers, name, (status) => ({ ...status, state: { waiting } }))

/** Returns the statuses after the start of an ephemeral container, which has no probes. */
export const ephemeralStarted = (pod: Pod, containers: Containers, name: string, now: string): Containers =>
  mapOne(containers, name, (status) => ({
    ...status,
    state: { running: { startedAt: now } },
    imageID: status.image ?? "",
    containerID: idOf(pod, name, 0)
  }))

/** Returns the statuses after a change of the probe results of one container. */
export const containerChecked = (containers: Containers, name: string, checks: Checks): Containers =>
  mapOne(containers, name, (status) => ({ ...status, ...checks }))

/** Returns the statuses after a failed start of one container. */
export const containerWaits = (containers: Containers, name: string, reason: string, message: string): Containers =>
  mapOne(containers, name, (status) => ({
    ...status,
    ready: false,
    started: false,
    state: { waiting: { reason, message } }
  }))

/** The exit of a container, and what it left for its status. */
export interface ContainerExit {
  readonly name: string
  readonly exitCode: number
  readonly message?: string | undefined
}

export const terminated = (
  status: ContainerStatus,
  exitCode: number,
  reason: string,
  now: string,
  message = ""
): ContainerStatus => {
  const { startedAt } = status.state?.running ?? {}
  return {
    ...status,
    ready: false,
    // An ephemeral container has no probes, and its status does not say whether it has started.
    ...(status.started === undefined ? {} : { started: false }),
    state: {
      terminated: {
        exitCode,
        reason,
        ...(message === "" ? {} : { message }),
        ...(startedAt === undefined ? {} : { startedAt }),
        finishedAt: now,
        ...(status.containerID === undefined ? {} : { containerID: status.containerID })
      }
    }
  }
}

export const reasonOf = (exitCode: number): string => (exitCode === 0 ? "Completed" : "Error")

/**
 * Returns the statuses after the exit of one container. `done` says that it is an init container that has completed,
 * which counts as ready for good.
 */
export const containerExited = (
  containers: Containers,
  { exitCode, message, name }: ContainerExit,
  now: string,
  done = false
): Containers =>
  mapOne(containers, name, (status) => {
    const ended = terminated(status, exitCode, reasonOf(exitCode), now, message)
    return done ? { ...ended, ready: true } : ended
  })

/** Returns the statuses while one container waits for its restart. */
export const containerBacksOff = (containers: Containers, name: string, reason: string, message: string): Containers =>
  mapOne(containers, name, (status) => ({
    ...status,
    ...lastState(status),
    state: { waiting: { reason, message } }
  }))

const REMOVED = {
  reason: RESTARTING_ALL,
  message: "The container is removed because RestartAllContainers in place"
}

/**
 * Returns the statuses after all containers were removed, to be started again. Upstream: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses.
 */
export const containersRemoved = (containers: Containers): Containers =>
  mapStatuses(containers, ({ containerID: _, ...status }) => ({
    ...status,
    ready: false,
    started: false,
    restartCount: (status.restartCount ?? 0) + 1,
    state: { waiting: REMOVED },
    lastState: { terminated: { ...REMOVED, exitCode: UNKNOWN_EXIT_CODE } }
  }))

/** Returns the statuses after a power loss of the machine. */
export const containersLost = (containers: Containers, now: string): Containers =>
  mapStatuses(containers, (status) =>
    status.state?.running === undefined ? status : terminated(status, LOST_EXIT_CODE, LOST_REASON, now)
  )
