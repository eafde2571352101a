import type { ContainerStatus, Pod } from "@rollcall/api"
import { isSidecar } from "./ContainerRestart.ts"
import { type Containers, reasonOf, terminated, UNKNOWN_EXIT_CODE } from "./Containers.ts"

const UNKNOWN = "ContainerStatusUnknown"
const NOT_FOUND = "The container could not be located when the pod was terminated"

/** Whether a container has left its first wait. */
const hasBegun = ({ lastState, state }: ContainerStatus): boolean =>
  state?.waiting === undefined || lastState?.terminated !== undefined

/**
 * Whether regular containers may have been started: without evidence of that, they end as they wait. Upstream:
 * pkg/kubelet/status/status_manager.go hasPodInitialized.
 */
const isInitialized = ({ init, regular }: Containers, { spec }: Pod): boolean => {
  const last = init.at(-1)
  if (last === undefined || regular.some(hasBegun)) return true
  const container = spec.initContainers?.at(-1)
  return container !== undefined && isSidecar(container)
    ? last.state?.running !== undefined && last.started === true
    : (last.state?.terminated ?? last.lastState?.terminated)?.exitCode === 0
}

/** Returns how many init containers have begun; the first one always counts. Upstream: initializedContainers. */
const begunCount = (init: Containers["init"]): number => Math.max(1, init.findLastIndex(hasBegun) + 1)

/**
 * Returns the statuses of a pod that has terminated: its running containers were stopped with this exit code, and
 * containers that may have run get a terminated state too. Upstream: pkg/kubelet/status/status_manager.go TerminatePod.
 */
export const containersEnded = (containers: Containers, exitCode: number, now: string, pod: Pod): Containers => {
  const { ephemeral, init, regular } = containers
  const end = (status: ContainerStatus): ContainerStatus => {
    if (status.state?.terminated !== undefined) return status
    if (status.state?.running !== undefined) return terminated(status, exitCode, reasonOf(exitCode), now)
    // Its last state stays what it was, so that it shows the same end twice. One that might have been restarted is lost.
    const isDeleted = pod.metadata.deletionTimestamp !== undefined
    if (isDeleted && status.lastState?.terminated !== undefined) return { ...status, state: status.lastState }
    const state = { terminated: { exitCode: UNKNOWN_EXIT_CODE, reason: UNKNOWN, message: NOT_FOUND } }
    return { ...status, ready: false, ...(status.started === undefined ? {} : { started: false }), state }
  }
  const count = begunCount(init)
  const endInit = (status: ContainerStatus, index: number): ContainerStatus => {
    const ended = end(status)
    const container = pod.spec.initContainers?.[index]
    const isDone = container !== undefined && !isSidecar(container) && ended.state?.terminated?.exitCode === 0
    return isDone && !ended.ready ? { ...ended, ready: true } : ended
  }
  return {
    init: init.map((status, index) => (index < count ? endInit(status, index) : status)),
    regular: isInitialized(containers, pod) ? regular.map(end) : regular,
    ...(ephemeral === undefined ? {} : { ephemeral: ephemeral.map(end) })
  }
}

const asWaiting = (status: ContainerStatus): ContainerStatus =>
  status.state?.terminated?.reason === UNKNOWN && status.containerID === undefined
    ? { ...status, state: { waiting: {} } }
    : status

/**
 * Returns the statuses as the conditions of a pod that has terminated show them: containers that were never located
 * still wait. Upstream: pkg/kubelet/kubelet.go SyncTerminatingPod computes them before TerminatePod.
 */
export const statusesBeforeEnd = (statuses: ReadonlyArray<ContainerStatus>): ReadonlyArray<ContainerStatus> =>
  statuses.some((status) => asWaiting(status) !== status) ? statuses.map(asWaiting) : statuses
