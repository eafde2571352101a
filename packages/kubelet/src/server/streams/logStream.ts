import { type ContainerStatus, parseTime } from "@rollcall/api"
import type { KubeletStream } from "@rollcall/streams/kubelet"
import { ContainerLog, type LoggedRun } from "./ContainerLog.ts"
import { runNameOf, type ServedPod, type StreamSource } from "./containerRun.ts"
import type { LogOptions } from "./logOptions.ts"

/** Times of statuses are whole seconds. */
const ROUNDING_MS = 999

export const statusNamed = ({ status }: ServedPod, name: string): ContainerStatus | undefined => {
  const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = status
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name
  )
}

/**
 * Returns when a container has started. One that a later clock of the machine has started has run at least since the process did.
 */
const startOf = ({ clockSkewMs, startedMs, timers }: StreamSource, startedAt: string): number => {
  const startMs = parseTime(startedAt)
  return startMs > timers.now() + clockSkewMs ? startedMs : startMs
}

const loggedRunOf = (
  source: StreamSource,
  served: ServedPod,
  { lastState, name: container, state }: ContainerStatus,
  isPrevious: boolean
): LoggedRun | undefined => {
  const { running, waiting } = state ?? {}
  const present = { container, name: runNameOf(served, container) }
  if (!isPrevious && running?.startedAt !== undefined)
    return { ...present, startMs: startOf(source, running.startedAt), endMs: undefined }
  const own = isPrevious ? undefined : state?.terminated
  const ended = own ?? lastState?.terminated
  if (ended?.startedAt === undefined) return undefined
  return {
    container,
    // A container that waits for its restart has not been counted as restarted.
    name: runNameOf(served, container, own === undefined && waiting === undefined ? 1 : 0),
    startMs: parseTime(ended.startedAt),
    endMs: parseTime(ended.finishedAt ?? ended.startedAt) + ROUNDING_MS
  }
}

/** The logs that have readers, or had until now, by kubelet, pod and run. */
const logs = new WeakMap<object, Map<string, ContainerLog>>()

/** Returns the log of a run of a container, which is computed once for all its readers. */
const logOf = (source: StreamSource, served: ServedPod, status: ContainerStatus, logged: LoggedRun): ContainerLog => {
  const { name = "", namespace = "", uid } = served.pod.metadata
  const own = logs.get(source.kubelet) ?? new Map<string, ContainerLog>()
  logs.set(source.kubelet, own)
  const key = [uid, logged.name, logged.startMs, logged.endMs].join("/")
  const known = own.get(key)
  if (known !== undefined) return known
  const isSameRun = (): boolean => {
    const now = source.podNamed(namespace, name)
    if (now === undefined || now.pod.metadata.uid !== uid) return false
    const { containerID, state } = statusNamed(now, logged.container) ?? {}
    return state?.running !== undefined && containerID === status.containerID
  }
  const log: ContainerLog = new ContainerLog(source, logged, isSameRun, () => {
    if (own.get(key) === log) own.delete(key)
  })
  own.set(key, log)
  log.begin(served)
  return log
}

const nothing = { write: () => {}, end: () => {} }

/** Returns the log of a container that has one: what its modelled command has written, and writes. */
export const logStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  options: LogOptions
): KubeletStream => ({
  open: (client) => {
    const status = statusNamed(served, container)
    const logged = status === undefined ? undefined : loggedRunOf(source, served, status, options.previous)
    if (status === undefined || logged === undefined) {
      client.end()
      return { ...nothing, close: () => {} }
    }
    return { ...nothing, close: logOf(source, served, status, logged).read(options, client) }
  }
})
