import type { Deployment, Event, KindName, KubeObject, Node, ObjectOf, Pod, ReplicaSet } from "@rollcall/api"
import type { Connection, WatchEvent } from "@rollcall/cluster"
import { zoneOfNode } from "@rollcall/machines"
import { makeTimeline, type Timeline } from "../expect/Timeline.ts"
import type { Workloads } from "../expect/Workloads.ts"
import type { EventRecord } from "../Result.ts"
import { observeNode } from "../trace/observeNode.ts"
import { type DeletionCauses, observePod, ownerOf, type SwapOfPod } from "../trace/observePod.ts"
import type { Trace } from "../trace/Trace.ts"

/** Watches the API and records every change of nodes, pods, workloads and Events. */
export interface Observation {
  readonly nodes: ReadonlyMap<string, Node>
  /** The zone of each node that exists or existed. */
  readonly zones: ReadonlyMap<string, string>
  /** Returns the last zone of a node, or "". */
  readonly zoneOf: (node: string) => string
  /** Returns the pod; inside an `observePod` call, as it was before the change. */
  readonly podOf: (namespace: string, pod: string) => Pod | undefined
  readonly pods: () => Iterable<Pod>
  readonly events: () => ReadonlyArray<EventRecord>
  /** Whether each node was Ready, from the first time that it was. */
  readonly readiness: ReadonlyMap<string, Timeline<boolean>>
  /** The owners of the pods that existed at `start`, by namespace and name. */
  readonly owners: ReadonlyMap<string, string | null>
  /** Calls the listener after each recorded change of a pod or node. */
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

const keyOf = ({ metadata: { name = "", namespace = "" } }: KubeObject): string => `${namespace}/${name}`

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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: what is known of the cluster, and a function for each kind that is watched.
export const observe = (options: ObservationOptions): Observation => {
  const { deletionCauses, connection, elapsedMs, swapOf, trace, traceLeases, workloads } = options
  const nodes = new Map<string, Node>()
  const zones = new Map<string, string>()
  const pods = new Map<string, Pod>()
  const owners = new Map<string, string | null>()
  const events: Array<EventRecord> = []
  const readiness = new Map<string, Timeline<boolean>>()
  const onNodes: Array<NonNullable<ObservationListener["node"]>> = []
  const onPods: Array<NonNullable<ObservationListener["pod"]>> = []

  const onNode = (next: Node, gone: boolean, known: boolean) => {
    const name = next.metadata.name ?? ""
    const previous = nodes.get(name)
    const now = elapsedMs()
    zones.set(name, zoneOfNode(next))
    if (gone) nodes.delete(name)
    else nodes.set(name, next)
    if (!known) observeNode(trace, previous, gone ? undefined : next)
    const ready = !gone && isReady(next)
    const timeline = readiness.get(name)
    if (timeline !== undefined) timeline.set(now, ready)
    else if (ready) {
      const started = makeTimeline(true)
      started.set(now, true)
      readiness.set(name, started)
    }
    for (const tell of onNodes) tell(previous, gone ? undefined : next, now)
  }

  const onPod = (next: Pod, gone: boolean, known: boolean) => {
    const key = keyOf(next)
    const previous = pods.get(key)
    const now = elapsedMs()
    if (known) owners.set(key, ownerOf(next))
    else observePod(trace, previous, gone ? undefined : next, deletionCauses, swapOf)
    if (gone) pods.delete(key)
    else pods.set(key, next)
    workloads.pod(previous, gone ? undefined : next, now)
    for (const tell of onPods) tell(previous, gone ? undefined : next, now)
  }

  const starts: Array<() => void> = []
  const stops: Array<() => void> = []
  const follow = <K extends KindName>(kind: K, see: (object: ObjectOf<K>, gone: boolean, known: boolean) => void) => {
    let known = true
    const onEvent = (event: WatchEvent) => {
      if (event.type === "BOOKMARK") known = false
      else if (event.type !== "ERROR") see(event.object as ObjectOf<K>, event.type === "DELETED", known)
    }
    const request = { verb: "watch", kind, sendInitialEvents: true, allowWatchBookmarks: true } as const
    const sink = { events: (batch: ReadonlyArray<WatchEvent>) => batch.forEach(onEvent), end: () => {} }
    starts.push(() => stops.push(connection.watch(request, sink)))
  }
  follow("Node", onNode)
  follow("ReplicaSet", (object: ReplicaSet, gone) => {
    if (!gone) workloads.workload(object, elapsedMs())
  })
  follow("Deployment", (object: Deployment, gone) => {
    if (!gone) workloads.workload(object, elapsedMs())
  })
  follow("StatefulSet", (object, gone) => {
    if (!gone) workloads.workload(object, elapsedMs())
  })
  follow("Service", (service, gone) => {
    if (!gone) workloads.service(service, elapsedMs())
  })
  follow("EndpointSlice", (slice, gone) => workloads.slice(slice, gone, elapsedMs()))
  follow("Pod", onPod)
  follow("Event", (event, gone) => {
    if (!gone) events.push(recordOf(event, Math.round(elapsedMs()) / 1000))
  })
  if (traceLeases) {
    follow("Lease", ({ metadata, spec }, gone) => {
      if (!gone && metadata.namespace === "kube-node-lease")
        trace.add("LeaseRenewed", { node: metadata.name ?? "", renewTime: spec?.renewTime ?? "" })
    })
  }

  return {
    nodes,
    zones,
    zoneOf: (node) => zones.get(node) ?? "",
    podOf: (namespace, pod) => pods.get(`${namespace}/${pod}`),
    pods: () => pods.values(),
    events: () => events,
    readiness,
    owners,
    listen: ({ node, pod }) => {
      if (node !== undefined) onNodes.push(node)
      if (pod !== undefined) onPods.push(pod)
    },
    start: () => {
      for (const start of starts) start()
    },
    stop: () => {
      for (const stop of stops) stop()
    }
  }
}
