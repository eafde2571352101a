import * as fc from "fast-check"

/** Zones of a random cluster; its nodes are `<zone>-<n>`. */
export const zones = ["a", "b", "c"] as const

/** The keys of the two NoExecute taints of lost nodes. */
const EVICTION_TAINTS = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"]

const tolerations = (seconds: number | undefined) =>
  EVICTION_TAINTS.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
  }))

const containers = (cpu: string | undefined) => [
  { name: "c", image: "x", ...(cpu === undefined ? {} : { resources: { requests: { cpu, memory: "1Gi" } } }) }
]

/** The random choices for a pod without an owner. `member` selects the node of its zone. */
export const bareSpec = fc.record({
  zone: fc.constantFrom(...zones),
  member: fc.nat(3),
  /** The tolerationSeconds; "default" leaves them to admission, which sets 300 s. */
  tolerates: fc.constantFrom("default", "for ever", 0, 30, 90),
  graceSeconds: fc.constantFrom(0, 1, 30),
  cpu: fc.constantFrom(undefined, "500m", "3")
})
export type BareSpec = typeof bareSpec extends fc.Arbitrary<infer A> ? A : never

/** Returns a pod without an owner on a node. */
export const barePod = (name: string, node: string, { cpu, graceSeconds, tolerates }: BareSpec) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: graceSeconds,
    containers: containers(cpu),
    ...(tolerates === "default"
      ? {}
      : { tolerations: tolerations(tolerates === "for ever" ? undefined : Number(tolerates)) })
  }
})

/** The random choices for a Deployment or a StatefulSet. */
export const workloadSpec = fc.record({
  replicas: fc.integer({ min: 1, max: 8 }),
  cpu: fc.constantFrom(undefined, "1", "3"),
  priority: fc.boolean(),
  graceSeconds: fc.constantFrom(1, 30)
})
export type WorkloadSpec = typeof workloadSpec extends fc.Arbitrary<infer A> ? A : never

/** Returns a Deployment or a StatefulSet whose pods have the label `app: <name>`. */
export const workload = (
  kind: "Deployment" | "StatefulSet",
  name: string,
  { cpu, graceSeconds, priority, replicas }: WorkloadSpec
) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    ...(kind === "StatefulSet" ? { serviceName: name } : {}),
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: containers(cpu),
        terminationGracePeriodSeconds: graceSeconds,
        ...(priority ? { priorityClassName: "urgent" } : {})
      }
    }
  }
})

/** Returns a StorageClass that provisions disks where their pods are scheduled. */
export const diskClass = (reach: "zone" | "everywhere") => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disks" },
  provisioner: "csi.rollcall.dev",
  parameters: { reach },
  volumeBindingMode: "WaitForFirstConsumer"
})

/** Adds a volume claim for each pod of the set, unless `reach`, the reach of its disks, is undefined. */
export const withVolumeClaims = (set: ReturnType<typeof workload>, reach: string | undefined) =>
  reach === undefined
    ? set
    : {
        ...set,
        spec: {
          ...set.spec,
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: {
                accessModes: ["ReadWriteOnce"],
                storageClassName: "disks",
                resources: { requests: { storage: "1Gi" } }
              }
            }
          ]
        }
      }

/** The priority class of workloads with `priority`. */
export const urgentClass = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "urgent" },
  value: 1000
}

/** Returns the PodDisruptionBudget of a workload. */
export const budget = (name: string, limit: Readonly<Record<string, number | string>>) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "default" },
  spec: { ...limit, selector: { matchLabels: { app: name } } }
})

/** A DaemonSet with one small pod on each node. */
export const daemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: { metadata: { labels: { app: "agent" } }, spec: { containers: containers("100m") } }
  }
}
