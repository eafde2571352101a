import * as fc from "fast-check"

export const nodes = fc.oneof(
  fc.record({ zone: fc.constantFrom("zone-a", "zone-b", "zone-c") }),
  fc.record({ names: fc.constantFrom(["a-0"], ["a-0", "b-0"]) }),
  fc.record({ fraction: fc.constantFrom(0.3, 0.6, 1) }),
  fc.record({ count: fc.integer({ min: 1, max: 4 }) })
)

const nodeFault = fc.oneof(
  fc.record({
    fault: fc.constantFrom(
      "partition",
      "partition",
      "crash",
      "kubelet-stop",
      "runtime-down",
      "kubelet-not-ready",
      "network-unavailable"
    ),
    nodes
  }),
  fc.record({ fault: fc.constant("latency"), nodes, by: fc.constantFrom("300ms", "4s", "25s") }),
  fc.record({ fault: fc.constant("loss"), nodes, rate: fc.constantFrom(0.3, 0.9, 1) }),
  fc.record({ fault: fc.constant("clock-skew"), nodes, by: fc.constantFrom("-90s", "2m") }),
  fc.record({ fault: fc.constant("memory-pressure"), nodes, available: fc.constantFrom("50Mi", "200Mi") }),
  fc.record({ fault: fc.constantFrom("disk-pressure", "pid-pressure", "memory-pressure"), nodes })
)

const controlPlaneFault = fc.oneof(
  fc.constant({ fault: "api-server-down" }),
  fc.record({
    fault: fc.constant("controller-restart"),
    component: fc.constantFrom("kube-controller-manager", "kube-scheduler"),
    process: fc.constantFrom("leader", "all")
  })
)

/** A taint of an operator. */
const customTaint = { key: "example.com/mine", value: "yes" }

const action = fc.oneof(
  fc.record({
    do: fc.constantFrom("cordon", "uncordon", "poweroff", "boot", "out-of-service", "clear-out-of-service"),
    nodes
  }),
  fc.record({ do: fc.constantFrom("shutdown", "shutdown", "cancel-shutdown"), nodes }),
  fc.record({ do: fc.constant("drain"), nodes, ignoreDaemonsets: fc.constant(true), force: fc.boolean() }),
  fc.record({
    do: fc.constant("taint"),
    nodes,
    taint: fc.constantFrom({ ...customTaint, effect: "NoExecute" }, { ...customTaint, effect: "NoSchedule" })
  }),
  fc.record({ do: fc.constant("untaint"), nodes, taint: fc.constant({ key: customTaint.key }) }),
  fc.record({
    do: fc.constant("label"),
    nodes,
    labels: fc.constantFrom({ "topology.kubernetes.io/zone": "zone-b" }, { "example.com/tier": "gold" })
  }),
  fc.record({
    do: fc.constant("scale"),
    object: fc.constantFrom({ kind: "Deployment", name: "web" }, { kind: "StatefulSet", name: "db" }),
    replicas: fc.integer({ min: 0, max: 9 })
  }),
  fc.record({
    do: fc.constant("delete"),
    object: fc.constantFrom({ kind: "Pod", name: "p-0" }, { kind: "Pod", name: "db-0" }, { kind: "Node", name: "b-0" })
  })
)

const at = fc.integer({ min: 20, max: 800 })
const fault = fc.tuple(
  at,
  fc.option(fc.integer({ min: 5, max: 500 })),
  fc.oneof({ weight: 4, arbitrary: nodeFault }, { weight: 1, arbitrary: controlPlaneFault })
)

/** A random event: a fault or an operator's action. */
export const randomEvent = fc.oneof(
  { weight: 3, arbitrary: fault.map(([at, end, what]) => ({ at, ...(end === null ? {} : { for: end }), ...what })) },
  { weight: 2, arbitrary: fc.tuple(at, action).map(([at, what]) => ({ at, ...what })) }
)
