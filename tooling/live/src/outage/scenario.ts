/**
 * The parameters of an outage of one zone of three. Times are in seconds; `faultAt` counts from the start of the run.
 */
export interface OutageShape {
  readonly seed: number
  readonly nodesPerZone: number
  /** Kubelets renew their Leases every quarter of this. */
  readonly leaseSeconds: number
  /** The controller's node-monitor-grace-period. */
  readonly graceSeconds: number
  /** The controller's node-eviction-rate. */
  readonly nodesPerSecond: number
  readonly faultAt: number
  readonly faultFor: number
  readonly duration: number
  /** The toleration seconds of a node's pods for unreachable nodes. */
  readonly tolerations: ReadonlyArray<number>
  /** The least interval between rehearsed events whose live order is compared. */
  readonly apartSeconds: number
}

/**
 * Kubelets renew in the same order in both runs, because they have the same seed. The seeds were chosen so that the last renewals before the
 * fault are well apart from each other and from the fault: then milliseconds do not decide which node is detected first.
 */
export const fullOutage: OutageShape = {
  seed: 356,
  nodesPerZone: 6,
  leaseSeconds: 40,
  graceSeconds: 15,
  nodesPerSecond: 0.5,
  faultAt: 25,
  faultFor: 40,
  duration: 85,
  tolerations: [5, 12],
  apartSeconds: 0.5
}

export const shortOutage: OutageShape = {
  seed: 52,
  // Few enough to avoid PartialDisruption, where a small difference in the time of a token changes everything after it.
  nodesPerZone: 3,
  leaseSeconds: 16,
  graceSeconds: 7,
  // Not 1: for a stopped zone, Kubernetes takes a rate of 1 for the current one, and evictions do not resume.
  nodesPerSecond: 0.8,
  faultAt: 8,
  faultFor: 20,
  duration: 34,
  tolerations: [2, 5],
  // Tests share their processors with other processes.
  apartSeconds: 1.5
}

const podOn = (node: string, index: number, seconds: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `${node}-${index}`, namespace: "default" },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: 1,
    tolerations: ["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: seconds
    })),
    containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }]
  }
})

/** Returns the scenario of the outage. Pods are bound by nodeName, so that the scheduler's random choices do not matter. */
export const zoneOutage = ({
  duration,
  faultAt,
  faultFor,
  graceSeconds,
  leaseSeconds,
  nodesPerSecond,
  nodesPerZone,
  seed,
  tolerations
}: OutageShape) => {
  const groups = ["a", "b", "c"]
  const pods = groups.flatMap((group) =>
    Array.from({ length: nodesPerZone }, (_, index) =>
      tolerations.map((seconds, pod) => podOn(`${group}-${index}`, pod, seconds))
    ).flat()
  )
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "zone-outage" },
    spec: {
      seed,
      duration: `${duration}s`,
      cluster: {
        nodes: groups.map((name) => ({ name, count: nodesPerZone, zone: `zone-${name}`, region: "local" })),
        objects: pods
      },
      config: {
        kubeControllerManager: {
          // The phase of the monitor's passes differs between the two runs: with this period it matters by at most a quarter of a second.
          kubeCloudShared: { nodeMonitorPeriod: "250ms" },
          nodeLifecycleController: { nodeMonitorGracePeriod: `${graceSeconds}s`, nodeEvictionRate: nodesPerSecond }
        },
        kubelet: { nodeLeaseDurationSeconds: leaseSeconds }
      },
      events: [{ at: `${faultAt}s`, for: `${faultFor}s`, fault: "partition", nodes: { zone: "zone-b" } }]
    }
  }
}
