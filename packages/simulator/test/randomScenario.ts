import * as fc from "fast-check"
import { bare } from "./run.ts"

/* A few zones with a few nodes, pods of all tolerance, and faults of all kinds at any time. */
const zones = ["a", "b", "c"] as const

const tolerations = (seconds: number | undefined) =>
  ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"].map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
  }))

const pod = fc.record({
  zone: fc.constantFrom(...zones),
  member: fc.nat(3),
  /** Undefined: as admission gives them, 300 s. */
  tolerates: fc.constantFrom("default", "for ever", 0, 30, 90),
  graceSeconds: fc.constantFrom(0, 1, 30)
})

const nodes = fc.oneof(
  fc.record({ zone: fc.constantFrom("zone-a", "zone-b", "zone-c") }),
  fc.record({ names: fc.constantFrom(["a-0"], ["a-0", "b-0"]) }),
  fc.record({ fraction: fc.constantFrom(0.3, 0.6, 1) }),
  fc.record({ count: fc.integer({ min: 1, max: 4 }) })
)

const nodeFault = fc.oneof(
  fc.record({ fault: fc.constantFrom("partition", "partition", "crash", "kubelet-stop", "runtime-down"), nodes }),
  fc.record({ fault: fc.constant("latency"), nodes, by: fc.constantFrom("300ms", "4s", "25s") }),
  fc.record({ fault: fc.constant("loss"), nodes, rate: fc.constantFrom(0.3, 0.9, 1) }),
  fc.record({ fault: fc.constant("clock-skew"), nodes, by: fc.constantFrom("-90s", "2m") })
)
const planeFault = fc.oneof(
  fc.constant({ fault: "api-server-down" }),
  fc.record({
    fault: fc.constant("controller-restart"),
    component: fc.constantFrom("kube-controller-manager", "kube-scheduler")
  })
)
const action = fc.oneof(
  fc.record({
    do: fc.constantFrom("cordon", "uncordon", "poweroff", "boot", "out-of-service", "clear-out-of-service"),
    nodes
  }),
  fc.constant({ do: "scale", object: { kind: "Deployment", name: "web" }, replicas: 5 })
)

const at = fc.integer({ min: 20, max: 800 })
const fault = fc.tuple(
  at,
  fc.option(fc.integer({ min: 5, max: 500 })),
  fc.oneof({ weight: 4, arbitrary: nodeFault }, planeFault)
)
const event = fc.oneof(
  { weight: 5, arbitrary: fault.map(([at, end, what]) => ({ at, ...(end === null ? {} : { for: end }), ...what })) },
  { weight: 1, arbitrary: fc.tuple(at, action).map(([at, what]) => ({ at, ...what })) }
)

/** The spec of a random scenario. */
export const randomSpec = fc
  .record({
    seed: fc.nat(1_000),
    sizes: fc.tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
    pods: fc.array(pod, { maxLength: 12 }),
    replicas: fc.integer({ min: 1, max: 8 }),
    events: fc.array(event, { minLength: 1, maxLength: 6 }),
    rate: fc.constantFrom(0.1, 0.5),
    largeClusterSizeThreshold: fc.constantFrom(3, 50),
    qps: fc.constantFrom(5, 20)
  })
  .map(({ events, largeClusterSizeThreshold, pods, qps, rate, replicas, seed, sizes }) => ({
    seed,
    duration: "15m",
    cluster: {
      nodes: zones.map((name, index) => ({ name, zone: `zone-${name}`, count: sizes[index] })),
      objects: [
        ...pods.map(({ graceSeconds, member, tolerates, zone }, index) =>
          bare(`p-${index}`, `${zone}-${member % (sizes[zones.indexOf(zone)] ?? 1)}`, {
            terminationGracePeriodSeconds: graceSeconds,
            ...(tolerates === "default"
              ? {}
              : { tolerations: tolerations(tolerates === "for ever" ? undefined : Number(tolerates)) })
          })
        ),
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "web", namespace: "default" },
          spec: {
            replicas,
            selector: { matchLabels: { app: "web" } },
            template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
          }
        }
      ]
    },
    config: {
      kubeControllerManager: {
        nodeLifecycleController: { nodeEvictionRate: rate, largeClusterSizeThreshold },
        generic: { clientConnection: { qps, burst: qps } }
      }
    },
    events
  }))
