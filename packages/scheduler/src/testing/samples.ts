import type { Node, Pod, PodSpec } from "@rollcall/api"

const node = (index: number, spec: Partial<NonNullable<Node["spec"]>> = {}): Node => {
  const name = `node-${index}`
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" }
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${index % 2}`, disk: "ssd" }
    },
    spec,
    status: { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] }
  }
}

/** Four nodes in two zones: one is cordoned, one tainted. */
export const sampleNodes: ReadonlyArray<Node> = [
  node(0),
  node(1),
  node(2, { unschedulable: true }),
  node(3, { taints: [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }] })
]

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}`, labels: { app: "a" } },
  spec: {
    containers: [{ name: "main", image: "main:1", resources: { requests: { cpu: "1", memory: "1Gi" } } }],
    ...spec
  }
})

/** Pods without constraints, with excessive requests, with a host port, a node selector, pod affinity, and a claim. */
export const samplePods: ReadonlyArray<Pod> = [
  pod("plain"),
  pod("large", { containers: [{ name: "main", resources: { requests: { cpu: "400" } } }] }),
  pod("port", { containers: [{ name: "main", ports: [{ containerPort: 80, hostPort: 80 }] }] }),
  pod("picky", { nodeSelector: { disk: "ssd" }, tolerations: [{ key: "dedicated", operator: "Exists" }] }),
  pod("spread", {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "a" } }
      }
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "a" } } }
        ]
      }
    }
  }),
  pod("named", { nodeName: "node-1" }),
  pod("claims", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "missing" } }] })
]
