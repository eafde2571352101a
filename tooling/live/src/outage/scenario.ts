/** An outage of one zone of three, as a scenario: what is rehearsed and what is played live are this one value. */
export interface OutageShape {
  readonly seed: number
  readonly nodesPerZone: number
  /** Kubelets renew their Leases every quarter of this. */
  readonly leaseSeconds: number
  readonly graceSeconds: number
  readonly nodesPerSecond: number
  readonly faultAt: number
  readonly faultFor: number
  readonly duration: number
  /** How long each pod of a node puts up with a node that cannot be reached. */
  readonly tolerations: ReadonlyArray<number>
  /** What must be apart so much in the rehearsal to have an order live. */
  readonly apartSeconds: number
}

/**
 * Kubelets renew in one order in both worlds, as they have one seed. The seeds were chosen so that the last renewals before the
 * fault are well apart from each other and from the fault: which node is noticed first is then no matter of milliseconds.
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
  // Few enough never to be in partial disruption, where a token that comes a moment sooner or later changes all that follows.
  nodesPerZone: 3,
  leaseSeconds: 16,
  graceSeconds: 7,
  // Not 1: in a zone that was stopped, Kubernetes takes a rate of 1 for the one that it has, and nothing goes on.
  nodesPerSecond: 0.8,
  faultAt: 8,
  faultFor: 20,
  duration: 34,
  tolerations: [2, 5],
  // Tests share their processors with others.
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

/** The zone whose link is cut. Its pods are bound by name, so that no scheduler's chance plays a part. */
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
          // The phase of the monitor's passes is the one thing that two processes do not share: a quarter of a second is all it can matter.
          kubeCloudShared: { nodeMonitorPeriod: "250ms" },
          nodeLifecycleController: { nodeMonitorGracePeriod: `${graceSeconds}s`, nodeEvictionRate: nodesPerSecond }
        },
        kubelet: { nodeLeaseDurationSeconds: leaseSeconds }
      },
      events: [{ at: `${faultAt}s`, for: `${faultFor}s`, fault: "partition", nodes: { zone: "zone-b" } }]
    }
  }
}
