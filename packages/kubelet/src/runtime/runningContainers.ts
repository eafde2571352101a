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

const statusesOf = ({ status = {} }: Pod): ReadonlyArray<ContainerStatus> => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? [])
]

/** Whether the API shows that containers of a pod run: some of a Pending one may, beside those that cannot be started. */
export const showsRunning = (pod: Pod): boolean =>
  pod.status?.phase === "Running" || (pod.status?.phase === "Pending" && statusesOf(pod).some(isRunning))

/** Returns the containers of a pod that run, as the API shows them. */
export const runningContainers = (pod: Pod, nowMs: number): ReadonlyArray<RunningContainer> => {
  if (pod.status?.containerStatuses === undefined && isPlainPod(pod))
    return pod.spec.containers.map(({ name }) => ({ name, ranMs: 0 }))
  const running = statusesOf(pod).filter(isRunning)
  return running.map(({ name, state }) => {
    const sinceMs = parseTime(state?.running?.startedAt ?? "")
    return { name, ranMs: Number.isNaN(sinceMs) ? 0 : Math.max(0, nowMs - sinceMs) }
  })
}
