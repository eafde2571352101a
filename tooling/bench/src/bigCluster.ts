import type { KubeObject } from "@rollcall/api"

export interface BigCluster {
  readonly nodes: number
  readonly podsPerNode: number
}

const ZONES = ["a", "b", "c"] as const
const LONG_AGO = "2025-12-01T00:00:00Z"
/** Pods of one ReplicaSet. */
const REPLICAS = 500

const capacity = { cpu: "64", memory: "256Gi", pods: "110", "ephemeral-storage": "100Gi" }
const conditions = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"]
].map(([type, status, reason, message]) => ({
  type,
  status,
  lastHeartbeatTime: LONG_AGO,
  lastTransitionTime: LONG_AGO,
  reason,
  message
}))
const podConditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
  (type) => ({ type, status: "True", lastTransitionTime: LONG_AGO })
)
const tolerations = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300
}))
const template = (app: number) => ({
  metadata: { labels: { app: `app-${app}` } },
  spec: {
    containers: [{ name: "c", image: "registry.example/c:1", resources: { requests: { cpu: "500m", memory: "1Gi" } } }]
  }
})

const nodeName = (index: number): string => `node-${ZONES[index % ZONES.length]}-${index}`

const makeNode = (index: number) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: nodeName(index),
    uid: `node-${index}`,
    creationTimestamp: LONG_AGO,
    labels: {
      "kubernetes.io/hostname": nodeName(index),
      "topology.kubernetes.io/zone": `zone-${ZONES[index % ZONES.length]}`,
      "topology.kubernetes.io/region": "r1"
    }
  },
  spec: {},
  status: { capacity, allocatable: capacity, conditions }
})

const makePod = (node: number, slot: number, app: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `app-${app}-${node}-${slot}`,
    namespace: "default",
    uid: `pod-${node}-${slot}`,
    creationTimestamp: LONG_AGO,
    labels: { app: `app-${app}` },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: `app-${app}`, uid: `rs-${app}`, controller: true }
    ]
  },
  spec: { nodeName: nodeName(node), tolerations, ...template(app).spec },
  status: {
    phase: "Running",
    qosClass: "Burstable",
    hostIP: "10.0.0.1",
    podIP: "10.1.0.1",
    startTime: LONG_AGO,
    conditions: podConditions,
    containerStatuses: [
      {
        name: "c",
        ready: true,
        started: true,
        restartCount: 0,
        image: "registry.example/c:1",
        imageID: "",
        state: { running: { startedAt: LONG_AGO } }
      }
    ]
  }
})

const makeReplicaSet = (app: number, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: `app-${app}`, namespace: "default", uid: `rs-${app}`, creationTimestamp: LONG_AGO },
  spec: { replicas, selector: { matchLabels: { app: `app-${app}` } }, template: template(app) },
  status: { replicas, readyReplicas: replicas, availableReplicas: replicas, fullyLabeledReplicas: replicas }
})

/** A running cluster as `kubectl get -o json` would show it: nodes in three zones, each with its share of pods. */
export const bigCluster = ({ nodes, podsPerNode }: BigCluster): ReadonlyArray<KubeObject> => {
  const apps = Math.max(1, Math.round((nodes * podsPerNode) / REPLICAS))
  const counts = new Array<number>(apps).fill(0)
  const objects: Array<KubeObject> = []
  for (let node = 0; node < nodes; node++) objects.push(makeNode(node))
  for (let node = 0; node < nodes; node++) {
    for (let slot = 0; slot < podsPerNode; slot++) {
      const app = (node * podsPerNode + slot) % apps
      counts[app] = (counts[app] ?? 0) + 1
      objects.push(makePod(node, slot, app))
    }
  }
  for (const [app, replicas] of counts.entries()) objects.push(makeReplicaSet(app, replicas))
  return objects
}
