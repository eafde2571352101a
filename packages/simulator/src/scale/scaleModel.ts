/** What a node, and the life of a pod, write. */
export interface LoadPerNode {
  readonly renewalsPerSecond: number
  readonly statusesPerSecond: number
  /** The writes of a pod and of its Events, from its creation to its end. */
  readonly podWrites: number
  readonly podEvents: number
  readonly leaseBytes: number
  readonly nodeBytes: number
  readonly podBytes: number
  readonly eventBytes: number
}

/** A cluster whose load is asked for. */
export interface ScaleShape {
  readonly nodes: number
  readonly podsPerNode: number
  /** How long a pod lives on average. */
  readonly podLifeHours: number
}

/** The load of a cluster in a quiet hour, in which pods come and go at their average rate. */
export interface ScaleLoad extends ScaleShape {
  readonly renewalsPerSecond: number
  readonly statusesPerSecond: number
  readonly podWritesPerSecond: number
  readonly eventWritesPerSecond: number
  readonly writesPerSecond: number
  readonly bytesWrittenPerSecond: number
  /** Events that all servers together send to watches. */
  readonly watchEventsPerSecond: number
  readonly watchBytesPerSecond: number
  readonly openWatches: number
  /** What the objects take, as they are stored. */
  readonly objectBytes: number
  /** What etcd keeps at most: objects, Events and the history between two compactions. */
  readonly storeBytes: number
  /** What each API server keeps of it in memory. */
  readonly serverBytes: number
  /** The API servers that bear it, each with one thread; undefined if none do, because each follows all writes. */
  readonly servers: number | undefined
  /** The processor time of requests and watches on all API servers, of following etcd on each, and of each member of etcd, in cores. */
  readonly serverCores: number
  readonly followCores: number
  readonly etcdCores: number
}

/** What one API server and one member of etcd cost on a machine, as `npm run live load` measures it. */
export interface MachineCosts {
  readonly serverSecondsPerWrite: number
  readonly serverSecondsPerWatchEvent: number
  readonly etcdSecondsPerWrite: number
  readonly serverBytesPerNode: number
  readonly serverBytesAtStart: number
  /** Bytes of memory for a byte of a stored pod. */
  readonly memoryPerStoredByte: number
}

/** The watches of all objects of a kind: the controllers' informers, the garbage collector, the scheduler. */
const CLUSTER_WATCHES = { lease: 2, node: 3, pod: 3 } as const
/** The watches of a kubelet: its Node and its pods. */
const WATCHES_OF_NODE = 2
/** The watches of the control plane, one or two of each kind. */
const OTHER_WATCHES = 75
/** A rehearsal's kubelets record no Events. Those of a pod with one container: Pulled, Created, Started, Killing. */
const EVENTS_OF_KUBELET = 4
/** Upstream: `--event-ttl`. */
const EVENT_SECONDS = 3600
/** Between two compactions etcd has the history of one interval, and of the one before. */
const HISTORY_SECONDS = 2 * 300
/** What etcd stores of a revision besides its value: the key twice, revisions, and its pages. */
const REVISION_BYTES = 300
/** The frame of a watch event around its object. */
const FRAME_BYTES = 30

const HOUR_SECONDS = 3600

/** The share of a server's thread that may be busy in a quiet hour: the rest is for an outage. */
const BUSY = 0.7
/** One server may stop. */
const LEAST_SERVERS = 2

const MOST_SERVERS = 100

/** Returns how many servers share work, each of which also follows what the other ones write. */
const serversFor = (work: number, follow: number): number | undefined => {
  const servers = follow >= BUSY ? Number.POSITIVE_INFINITY : Math.ceil((work - follow) / (BUSY - follow))
  return servers > MOST_SERVERS ? undefined : Math.max(LEAST_SERVERS, servers)
}

/** Returns the load of a cluster. */
export const scaleLoad = (shape: ScaleShape, each: LoadPerNode, costs: MachineCosts): ScaleLoad => {
  const { nodes, podLifeHours, podsPerNode } = shape
  const pods = nodes * podsPerNode
  const podsPerSecond = pods / (podLifeHours * HOUR_SECONDS)
  const renewalsPerSecond = nodes * each.renewalsPerSecond
  const statusesPerSecond = nodes * each.statusesPerSecond
  const podWritesPerSecond = podsPerSecond * each.podWrites
  const eventWritesPerSecond = podsPerSecond * (each.podEvents + EVENTS_OF_KUBELET)
  const writesPerSecond = renewalsPerSecond + statusesPerSecond + podWritesPerSecond + eventWritesPerSecond
  const bytesWrittenPerSecond =
    renewalsPerSecond * each.leaseBytes +
    statusesPerSecond * each.nodeBytes +
    podWritesPerSecond * each.podBytes +
    eventWritesPerSecond * each.eventBytes
  const sent = [
    [renewalsPerSecond * CLUSTER_WATCHES.lease, each.leaseBytes],
    // Its own kubelet watches a node and its pods.
    [statusesPerSecond * (CLUSTER_WATCHES.node + 1), each.nodeBytes],
    [podWritesPerSecond * (CLUSTER_WATCHES.pod + 1), each.podBytes]
  ] as const
  const watchEventsPerSecond = sent.reduce((sum, [events]) => sum + events, 0)
  const serverCores =
    writesPerSecond * costs.serverSecondsPerWrite + watchEventsPerSecond * costs.serverSecondsPerWatchEvent
  const followCores = writesPerSecond * costs.serverSecondsPerWatchEvent
  const objectBytes = nodes * (each.leaseBytes + each.nodeBytes) + pods * each.podBytes
  const eventBytes = eventWritesPerSecond * EVENT_SECONDS * each.eventBytes
  const historyBytes = (bytesWrittenPerSecond + writesPerSecond * REVISION_BYTES) * HISTORY_SECONDS
  return {
    ...shape,
    renewalsPerSecond,
    statusesPerSecond,
    podWritesPerSecond,
    eventWritesPerSecond,
    writesPerSecond,
    bytesWrittenPerSecond,
    watchEventsPerSecond,
    watchBytesPerSecond: sent.reduce((sum, [events, bytes]) => sum + events * (bytes + FRAME_BYTES), 0),
    openWatches: nodes * WATCHES_OF_NODE + OTHER_WATCHES,
    objectBytes,
    storeBytes: objectBytes + eventBytes + historyBytes,
    serverBytes:
      costs.serverBytesAtStart +
      nodes * costs.serverBytesPerNode +
      pods * each.podBytes * costs.memoryPerStoredByte +
      eventBytes * costs.memoryPerStoredByte,
    servers: serversFor(serverCores, followCores),
    serverCores,
    followCores,
    etcdCores: writesPerSecond * costs.etcdSecondsPerWrite
  }
}
