import { type ContainerStatus, type Pod, parseTime } from "@rollcall/api"
import { isPlainPod } from "./isPlainPod.ts"

/** A container that has run since before the kubelet was started, and for how long. */
export interface RunningContainer {
  readonly name: string
  readonly ranMs: number
}

const isRunning = ({ state }: ContainerStatus): boolean => state?.running !== undefined

/** Whether a container has ended and has not been started again, as the status of its pod says. */
export const hasEnded = ({ status }: Pod, name: string): boolean => {
  const { lastState, state } = status?.containerStatuses?.find((one) => one.name === name) ?? {}
  return state?.terminated !== undefined || (state?.waiting !== undefined && lastState?.terminated !== undefined)
}

/** Whether the API shows that containers of a pod run, or its init containers one after the other. */
export const showsRunning = ({ status }: Pod): boolean =>
  status?.phase === "Running" || (status?.phase === "Pending" && status.initContainerStatuses?.some(isRunning) === true)

/** Returns the containers of a pod that run, as the API shows them. */
export const runningContainers = (pod: Pod, nowMs: number): ReadonlyArray<RunningContainer> => {
  const { containerStatuses, initContainerStatuses = [] } = pod.status ?? {}
  if (containerStatuses === undefined && isPlainPod(pod))
    return pod.spec.containers.map(({ name }) => ({ name, ranMs: 0 }))
  return [...initContainerStatuses, ...(containerStatuses ?? [])].filter(isRunning).map(({ name, state }) => {
    const sinceMs = parseTime(state?.running?.startedAt ?? "")
    return { name, ranMs: Number.isNaN(sinceMs) ? 0 : Math.max(0, nowMs - sinceMs) }
  })
}
