import type { Deployment, Event, KindName, Node, ObjectOf, Pod, ReplicaSet } from "@rollcall/api"
import { type Connection, type HeartbeatSink, ObjectCache, type WatchEvent, type WatchSink } from "@rollcall/cluster"
import { zoneOfNode } from "@rollcall/machines"
import { makeTimeline, type Timeline } from "../expect/Timeline.ts"
import type { Workloads } from "../expect/Workloads.ts"
import type { EventRecord } from "../Result.ts"
import { observeNode } from "../trace/observeNode.ts"
import { type DeletionCauses, observePod, type SwapOfPod } from "../trace/observePod.ts"
import type { Trace } from "../trace/Trace.ts"

/** Watches the API and records every change of nodes, pods, workloads and Events. */
export interface Observation {
  readonly nodes: ReadonlyMap<string, Node>
  /** The zone of each node that exists or existed. */
  readonly zones: ReadonlyMap<string, string>
  /** Returns the last zone of a node, or "". */
  readonly zoneOf: (node: string) => string
  /** Returns a pod. While the trace entries of a change are added, it is the pod before that change. */
  readonly podOf: (namespace: string, pod: string) => Pod | undefined
  readonly pods: () => ReadonlyArray<Pod>
  readonly events: () => ReadonlyArray<EventRecord>
  /** The readiness of each node over time, from when it was first Ready. Nodes that never were Ready are absent. */
  readonly readiness: ReadonlyMap<string, Timeline<boolean>>
  /** The pods that existed at `start`, in key order. */
  readonly initialPods: ReadonlyArray<Pod>
  /** Adds a listener that is called after each recorded change of a pod or node. */
  readonly listen: (listener: ObservationListener) => void
  /** Starts the watches. Existing objects are recorded without trace entries, because they are not changes. */
  readonly start: () => void
  readonly stop: () => void
}

/** Callbacks for changes: the object before, the object after, and virtual milliseconds since the start. */
export interface ObservationListener {
  readonly pod?: ((previous: Pod | undefined, next: Pod | undefined, now: number) => void) | undefined
  readonly node?: ((previous: Node | undefined, next: Node | undefined, now: number) => void) | undefined
}

/** The connection to observe, and what the observation writes to. */
export interface ObservationOptions {
  /** An administrator's connection, without rate limits. */
  readonly connection: Connection
  readonly elapsedMs: () => number
  readonly trace: Trace
  readonly workloads: Workloads
  readonly deletionCauses: DeletionCauses
  /** Returns the swap limits of a pod's containers. */
  readonly swapOf: SwapOfPod
  /** Adds each Lease renewal to the trace. */
  readonly traceLeases: boolean
}

const isReady = (node: Node): boolean =>
  node.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true

const recordOf = (event: Event, at: number): EventRecord => ({
  at,
  type: event.type ?? "",
  reason: event.reason ?? "",
  message: event.message ?? "",
  component: event.source?.component ?? "",
  kind: event.involvedObject.kind ?? "",
  namespace: event.involvedObject.namespace ?? "",
  name: event.involvedObject.name ?? "",
  objectHasUID: (event.involvedObject.uid ?? "") !== "",
  storedIn: event.metadata.namespace ?? "",
  count: event.count ?? 1
})

/** Makes an observation, whose watches start with `start`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of the cluster, and a function for each kind that is watched.
export const observe = (options: ObservationOptions): Observation => {
  const { deletionCauses, connection, elapsedMs, swapOf, trace, traceLeases, workloads } = options
  const nodes = new Map<string, Node>()
  const zones = new Map<string, string>()
  const pods = new ObjectCache<Pod>()
  const initialPods: Array<Pod> = []
  const events: Array<EventRecord> = []
  const readiness = new Map<string, Timeline<boolean>>()
  const lost = new Set<string>()
  const nodeListeners: Array<NonNullable<ObservationListener["node"]>> = []
  const podListeners: Array<NonNullable<ObservationListener["pod"]>> = []

  const readinessChanged = (name: string, ready: boolean, now: number) => {
    const timeline = readiness.get(name)
    if (timeline !== undefined) timeline.set(now, ready)
    else if (ready) {
      const started = makeTimeline(true)
      started.set(now, true)
      readiness.set(name, started)
    }
  }

  const onNode = (next: Node, isDeleted: boolean, isInitial: boolean) => {
    const name = next.metadata.name ?? ""
    const previous = nodes.get(name)
    const now = elapsedMs()
    if (previous === undefined || previous.metadata.labels !== next.metadata.labels) zones.set(name, zoneOfNode(next))
    if (isDeleted) nodes.delete(name)
    else nodes.set(name, next)
    if (!isInitial) observeNode(trace, previous, isDeleted ? undefined : next)
    const ready = !isDeleted && isReady(next)
    if (ready !== (previous !== undefined && isReady(previous))) readinessChanged(name, ready, now)
    for (const listener of nodeListeners) listener(previous, isDeleted ? undefined : next, now)
  }

  const onPod = (next: Pod, isDeleted: boolean, isInitial: boolean) => {
    const { name = "", namespace = "" } = next.metadata
    const previous = isInitial ? undefined : pods.get(name, namespace)
    const now = elapsedMs()
    if (isInitial) initialPods.push(next)
    else observePod(trace, previous, isDeleted ? undefined : next, deletionCauses, { swapOf, lost })
    if (isInitial) pods.setListed(next)
    else if (isDeleted) pods.delete(name, namespace)
    else pods.set(next)
    workloads.pod(previous, isDeleted ? undefined : next, now)
    for (const listener of podListeners) listener(previous, isDeleted ? undefined : next, now)
  }

  const starts: Array<() => void> = []
  const stops: Array<() => void> = []
  const follow = <K extends KindName>(
    kind: K,
    onChange: (object: ObjectOf<K>, isDeleted: boolean, isInitial: boolean) => void,
    ignoresHeartbeats = false
  ) => {
    // A bookmark ends the initial events of the watch.
    let isInitial = true
    const onEvent = (event: WatchEvent) => {
      if (event.type === "BOOKMARK") isInitial = false
      else if (event.type !== "ERROR") onChange(event.object as ObjectOf<K>, event.type === "DELETED", isInitial)
    }
    const request = { verb: "watch", kind, sendInitialEvents: true, allowWatchBookmarks: true } as const
    const heartbeats: HeartbeatSink = {
      accepts: () => true,
      attached: () => {},
      detached: () => {},
      seen: () => {},
      made: onEvent
    }
    const sink: WatchSink = {
      events: (batch) => batch.forEach(onEvent),
      end: () => {},
      ...(ignoresHeartbeats ? { heartbeats } : {})
    }
    starts.push(() => stops.push(connection.watch(request, sink)))
  }
  follow("Node", onNode, true)
  follow("ReplicaSet", (object: ReplicaSet, isDeleted) => {
    if (!isDeleted) workloads.workload(object, elapsedMs())
  })
  follow("Deployment", (object: Deployment, isDeleted) => {
    if (!isDeleted) workloads.workload(object, elapsedMs())
  })
  follow("StatefulSet", (object, isDeleted) => {
    if (!isDeleted) workloads.workload(object, elapsedMs())
  })
  follow("Service", (service, isDeleted) => {
    if (!isDeleted) workloads.service(service, elapsedMs())
  })
  follow("EndpointSlice", (slice, isDeleted) => workloads.slice(slice, isDeleted, elapsedMs()))
  follow("Pod", onPod)
  follow("Event", (event, isDeleted) => {
    if (!isDeleted) events.push(recordOf(event, Math.round(elapsedMs()) / 1000))
  })
  if (traceLeases) {
    follow("Lease", ({ metadata, spec }, isDeleted) => {
      if (!isDeleted && metadata.namespace === "kube-node-lease")
        trace.add("LeaseRenewed", { node: metadata.name ?? "", renewTime: spec?.renewTime ?? "" })
    })
  }

  return {
    nodes,
    zones,
    zoneOf: (node) => zones.get(node) ?? "",
    podOf: (namespace, pod) => pods.get(pod, namespace),
    pods: () => pods.list(),
    events: () => events,
    readiness,
    initialPods,
    listen: ({ node, pod }) => {
      if (node !== undefined) nodeListeners.push(node)
      if (pod !== undefined) podListeners.push(pod)
    },
    start: () => {
      for (const start of starts) start()
    },
    stop: () => {
      for (const stop of stops) stop()
    }
  }
}
