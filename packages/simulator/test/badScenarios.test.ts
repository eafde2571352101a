import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { assert, describe, it } from "vitest"
import { InvalidInput, loadScenarios } from "../src/index.ts"

/** Loads from files that exist only here, and answers what is wrong, or what would run. */
const load = (files: Readonly<Record<string, string>>, set: ReadonlyArray<string> = [], until?: string) => {
  const fs = FileSystem.makeNoop({
    readFileString: (path) =>
      files[path] === undefined
        ? Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readFileString" }))
        : Effect.succeed(files[path])
  })
  return loadScenarios([Object.keys(files)[0] ?? ""], { set, until }).pipe(
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provide(Path.layer),
    Effect.flip,
    Effect.map((error) => {
      assert.instanceOf(error, InvalidInput)
      return error.message
    }),
    Effect.catch((plans) => Effect.succeed(plans)),
    Effect.runSync
  )
}

const scenario = (spec: string, cluster = "nodes: [{ name: a, count: 3, zone: zone-a }]"): string => `
apiVersion: rollcall.dev/v1alpha1
kind: Scenario
metadata: { name: x }
spec:
  duration: 10m
  cluster: { ${cluster} }
  ${spec}
`

const event = (text: string) => scenario(`events: [${text}]`)

/** What is wrong, and the whole message it brings. */
const table: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, string>>, message: string]> = [
  [
    "an unknown field",
    { "/s.yaml": scenario("durations: 3m") },
    '/s.yaml:8: spec.durations: unknown field; did you mean "duration"?'
  ],
  [
    "an unknown field in an event",
    { "/s.yaml": event("{ at: 1m, fault: partition, node: { zone: zone-a } }") },
    '/s.yaml:8: spec.events[0].node: unknown field; did you mean "nodes"?'
  ],
  ["a wrong type", { "/s.yaml": scenario("seed: seven") }, '/s.yaml:8: spec.seed: found "seven", expected number'],
  [
    "a release that is a number",
    { "/s.yaml": scenario("release: 1.36") },
    "/s.yaml:8: spec.release: found 1.36, expected string"
  ],
  [
    "a negative duration",
    { "/s.yaml": scenario("").replace("10m", "-10m") },
    '/s.yaml:6: spec.duration: found "-10m", expected a duration that is not negative, such as 90s, 12m or 1h30m, or a number of seconds'
  ],
  [
    "a negative number of seconds",
    { "/s.yaml": event("{ at: -3, fault: api-server-down }") },
    "/s.yaml:8: spec.events[0].at: found -3, expected a duration that is not negative, such as 90s, 12m or 1h30m, or a number of seconds"
  ],
  [
    "a duration that is none",
    { "/s.yaml": event("{ at: soon, fault: api-server-down }") },
    '/s.yaml:8: spec.events[0].at: found "soon", expected a duration that is not negative, such as 90s, 12m or 1h30m, or a number of seconds'
  ],
  [
    "a scenario that lasts no time",
    { "/s.yaml": scenario("").replace("10m", "0s") },
    '/s.yaml:6: spec.duration: found "0s", expected a duration above 0'
  ],
  [
    "a node group of 0",
    { "/s.yaml": scenario("", "nodes: [{ name: a, count: 0 }]") },
    "/s.yaml:7: spec.cluster.nodes[0].count: found 0, expected a whole number above 0"
  ],
  [
    "half a node",
    { "/s.yaml": scenario("", "nodes: [{ name: a, count: 1.5 }]") },
    "/s.yaml:7: spec.cluster.nodes[0].count: found 1.5, expected a whole number above 0"
  ],
  [
    "a group name that no node can have",
    { "/s.yaml": scenario("", "nodes: [{ name: Zone_A }]") },
    `/s.yaml:7: spec.cluster.nodes[0].name: found "Zone_A", expected a name of lower case letters, digits, '-' and '.'`
  ],
  [
    "two groups of one name",
    { "/s.yaml": scenario("", "nodes: [{ name: a }, { name: a }]") },
    '/s.yaml:7: spec.cluster.nodes[1].name: "a" is the name of spec.cluster.nodes[0] too'
  ],
  [
    "no nodes at all",
    { "/s.yaml": scenario("", "") },
    "/s.yaml:7: spec.cluster: has no nodes, expected a snapshot with nodes, groups or Node objects"
  ],
  [
    "an unknown fault",
    { "/s.yaml": event("{ at: 1m, fault: partitoin, nodes: { zone: zone-a } }") },
    '/s.yaml:8: spec.events[0].fault: found "partitoin", expected "partition" | "crash" | "kubelet-stop" | "latency" | "loss" | "clock-skew" | "memory-pressure" | "disk-pressure" | "pid-pressure" | "runtime-down" | "network-unavailable" | "kubelet-not-ready" | "api-server-down" | "controller-restart" | "cloud-delete" | "cloud-deny" | "cloud-error" | "cloud-latency"; did you mean "partition"?'
  ],
  [
    "an unknown action",
    { "/s.yaml": event("{ at: 1m, do: cordn, nodes: { zone: zone-a } }") },
    '/s.yaml:8: spec.events[0].do: found "cordn", expected "apply" | "delete" | "patch" | "cordon" | "uncordon" | "drain" | "taint" | "untaint" | "label" | "scale" | "resize" | "poweroff" | "boot" | "shutdown" | "cancel-shutdown" | "out-of-service" | "clear-out-of-service"; did you mean "cordon"?'
  ],
  [
    "a topology without its cores",
    { "/s.yaml": scenario("", "nodes: [{ name: a, topology: { sockets: 2, memoryPerNumaNode: 8Gi } }]") },
    "/s.yaml:7: spec.cluster.nodes[0].topology.coresPerNumaNode: is required"
  ],
  [
    "memory that is no quantity",
    {
      "/s.yaml": scenario("", "nodes: [{ name: a, topology: { coresPerNumaNode: 4, memoryPerNumaNode: 8GB } }]")
    },
    '/s.yaml:7: spec.cluster.nodes[0].topology.memoryPerNumaNode: found "8GB", expected a quantity such as 500m, 4 or 32Gi'
  ],
  [
    "capacity that is no quantity",
    { "/s.yaml": scenario("", "nodes: [{ name: a, capacity: { cpu: eight } }]") },
    '/s.yaml:7: spec.cluster.nodes[0].capacity.cpu: found "eight", expected a quantity such as 500m, 4 or 32Gi'
  ],
  [
    "a kubelet that would not start",
    { "/s.yaml": scenario("", "nodes: [{ name: a, kubelet: { cpuManagerPolicy: static } }]") },
    "/s.yaml:7: spec.cluster.nodes[0].kubelet: the kubelet would not start: [cpumanager] unable to determine reserved CPU resources for static policy"
  ],
  [
    "a static pod that is none",
    {
      "/s.yaml": scenario(
        "",
        "nodes: [{ name: a, staticPods: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: x } }] }]"
      )
    },
    '/s.yaml:7: spec.cluster.nodes[0].staticPods[0].kind: found "ConfigMap", expected "Pod"'
  ],
  ["an event that does nothing", { "/s.yaml": event("{ at: 1m }") }, "/s.yaml:8: spec.events[0]: needs fault or do"],
  [
    "an event that is both",
    { "/s.yaml": event("{ at: 1m, fault: crash, do: cordon, nodes: {} }") },
    "/s.yaml:8: spec.events[0]: has both fault and do, expected one of the two"
  ],
  [
    "a fault without nodes",
    { "/s.yaml": event("{ at: 1m, fault: crash }") },
    "/s.yaml:8: spec.events[0].nodes: is required for crash"
  ],
  [
    "a latency without its length",
    { "/s.yaml": event("{ at: 1m, fault: latency, nodes: {} }") },
    "/s.yaml:8: spec.events[0].by: is required for latency"
  ],
  [
    "a field of another fault",
    { "/s.yaml": event("{ at: 1m, fault: partition, nodes: {}, rate: 0.3 }") },
    "/s.yaml:8: spec.events[0].rate: has no meaning for partition, which takes nodes"
  ],
  [
    "an action with an end",
    { "/s.yaml": event("{ at: 1m, for: 2m, do: cordon, nodes: {} }") },
    "/s.yaml:8: spec.events[0].for: an action has no end, only a fault has"
  ],
  [
    "a loss above 1",
    { "/s.yaml": event("{ at: 1m, fault: loss, nodes: {}, rate: 30 }") },
    "/s.yaml:8: spec.events[0].rate: found 30, expected a number from 0 to 1"
  ],
  [
    "a node that is not there",
    { "/s.yaml": event("{ at: 1m, fault: crash, nodes: { names: [a-9] } }") },
    '/s.yaml:8: spec.events[0].nodes.names[0]: no node "a-9" in this cluster; did you mean "a-0"?'
  ],
  [
    "a scheduler with a plugin that there is not",
    {
      "/s.yaml": scenario(
        "config: { scheduler: { profiles: [{ plugins: { score: { disabled: [{ name: NodeResourceFit }] } } }] } }"
      )
    },
    '/s.yaml:8: spec.config.scheduler.profiles[0].plugins.score.disabled[0].name: found "NodeResourceFit", expected a plugin that scores; did you mean "NodeResourcesFit"?'
  ],
  [
    "a field that Kubernetes does not know, deep in an object",
    {
      "/s.yaml": scenario(
        "",
        "nodes: [{ name: a, count: 3 }], objects: [{ apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { containers: [{ name: c, resources: { request: { cpu: 1 } } }] } }]"
      )
    },
    '/s.yaml:7: spec.cluster.objects[0].spec.containers[0].resources.request: Kubernetes knows no such field; did you mean "requests"?'
  ],
  [
    "a zone that is not there",
    { "/s.yaml": event("{ at: 1m, fault: crash, nodes: { zone: zone-b } }") },
    '/s.yaml:8: spec.events[0].nodes.zone: no zone "zone-b" in this cluster; did you mean "zone-a"?'
  ],
  [
    "a group that is not there",
    { "/s.yaml": event("{ at: 1m, fault: crash, nodes: { group: workers } }") },
    '/s.yaml:8: spec.events[0].nodes.group: no node group "workers" in this cluster; known here: a'
  ],
  [
    "a selector that does not parse",
    { "/s.yaml": event('{ at: 1m, fault: crash, nodes: { selector: "a in b" } }') },
    "/s.yaml:8: spec.events[0].nodes.selector: not a label selector: unable to parse requirement: found 'b' expected: '('"
  ],
  [
    "an expectation of nothing",
    { "/s.yaml": scenario("expect: [{ name: x, max: 3 }]") },
    "/s.yaml:8: spec.expect[0]: expects nothing, expected one of evictions, ready, unavailableSeconds, condition, taint, zoneState, pod, trace"
  ],
  [
    "an expectation without a bound",
    { "/s.yaml": scenario("expect: [{ name: x, evictions: {} }]") },
    "/s.yaml:8: spec.expect[0]: evictions needs min or max"
  ],
  [
    "an expectation that ends before it begins",
    { "/s.yaml": scenario("expect: [{ name: x, evictions: {}, max: 0, from: 5m, until: 299s }]") },
    "/s.yaml:8: spec.expect[0].from: is later than until, so that there is no time to look at"
  ],
  [
    "an expectation of an unknown node",
    { "/s.yaml": scenario("expect: [{ name: x, condition: { node: a-7, type: Ready, status: Unknown } }]") },
    '/s.yaml:8: spec.expect[0].condition.node: no node "a-7" in this cluster; did you mean "a-0"?'
  ],
  [
    "an expectation of an unknown trace entry",
    { "/s.yaml": scenario("expect: [{ name: x, trace: { type: TaintAded }, max: 0 }]") },
    '/s.yaml:8: spec.expect[0].trace.type: no trace entry has the type "TaintAded"; did you mean "TaintAdded"?'
  ],
  [
    "an expectation of evictions by nobody",
    { "/s.yaml": scenario("expect: [{ name: x, evictions: { by: taint-evicton }, max: 0 }]") },
    '/s.yaml:8: spec.expect[0].evictions.by: found "taint-evicton", expected "taint-eviction" | "device-taint-eviction" | "node-controller" | "node-pressure" | "drain" | "pod-gc" | "node-shutdown" | "preemption" | "workload" | "user"; did you mean "taint-eviction"?'
  ],
  [
    "an expectation with two ends",
    { "/s.yaml": scenario("expect: [{ name: x, evictions: {}, max: 0, by: 1m, until: 2m }]") },
    "/s.yaml:8: spec.expect[0].until: stands beside by, expected one of the two"
  ],
  [
    "a moment beside a window",
    {
      "/s.yaml": scenario(
        "expect: [{ name: x, condition: { node: a-0, type: Ready, status: 'True' }, at: 1m, by: 2m }]"
      )
    },
    "/s.yaml:8: spec.expect[0].by: stands beside at, which is one moment"
  ],
  [
    "a moment of what is counted over time",
    { "/s.yaml": scenario("expect: [{ name: x, evictions: {}, max: 1, at: 1m }]") },
    "/s.yaml:8: spec.expect[0].at: has no meaning for evictions, which is counted over time"
  ],
  [
    "a window where there can be none",
    {
      "/s.yaml": scenario(
        "expect: [{ name: x, unavailableSeconds: { kind: Deployment, name: web }, max: 9, from: 1m }]"
      )
    },
    '/s.yaml:8: spec.expect[0].from: has no meaning for unavailableSeconds, which is of the whole run\n/s.yaml:8: spec.expect[0].unavailableSeconds.name: no Deployment "web" in namespace default; there are none'
  ],
  [
    "a missing file",
    { "/s.yaml": scenario("", "nodes: [{ name: a }], manifests: [web.yaml]") },
    "/web.yaml: no such file (named in /s.yaml at spec.cluster.manifests[0])"
  ],
  [
    "a YAML error",
    { "/s.yaml": "spec: [1, 2" },
    "/s.yaml:1: not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at column 12"
  ],
  ["a JSON error", { "/s.json": '{"spec": ' }, "/s.json: not JSON: Unexpected end of JSON input"],
  ["an empty file", { "/s.yaml": "# nothing\n" }, "/s.yaml: is empty, expected YAML or JSON"],
  [
    "a file that is no scenario",
    { "/s.yaml": "apiVersion: v1\nkind: Pod\nmetadata: { name: x }\nspec: { duration: 1m, cluster: {} }" },
    "/s.yaml: is a Pod, expected a Scenario: name the file in spec.cluster.snapshot or spec.cluster.manifests of one"
  ],
  [
    "a newer scenario",
    { "/s.yaml": scenario("").replace("v1alpha1", "v2") },
    '/s.yaml:2: apiVersion: found "rollcall.dev/v2", expected "rollcall.dev/v1alpha1"'
  ],
  [
    "a release that is not emulated",
    { "/s.yaml": scenario('release: "1.30"') },
    '/s.yaml:8: spec.release: found "1.30", expected one of 1.4, 1.26, 1.31, 1.35, 1.36; did you mean "1.31"?'
  ],
  [
    "a snapshot that is not Kubernetes",
    { "/s.yaml": scenario("", "snapshot: [c.json]"), "/c.json": '{"nodes": 3}' },
    '/c.json: found {"nodes":3}, expected a Kubernetes object with apiVersion and kind'
  ],
  [
    "nodes of a snapshot that no API server accepts",
    {
      "/s.yaml": scenario("", "snapshot: [c.json]"),
      "/c.json": JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: ["a", "b"].map((name) => ({
          apiVersion: "v1",
          kind: "Node",
          metadata: { name, labels: { "a b": "" } },
          spec: { taints: [{ key: "a", effect: "Weird" }] }
        }))
      })
    },
    [
      "/c.json: items[0].metadata.labels: each write to node a and 1 more node would be refused: metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      '/c.json: items[0].spec.taints[0].effect: each write to node a and 1 more node would be refused: metadata.taints[0].effect: Unsupported value: "Weird": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
    ].join("\n")
  ],
  [
    "an item of a snapshot that is not Kubernetes",
    { "/s.yaml": scenario("", "snapshot: [c.json]"), "/c.json": '{"apiVersion":"v1","kind":"List","items":[7]}' },
    "/c.json: items[0]: found 7, expected a Kubernetes object with apiVersion and kind"
  ],
  [
    "a misspelt kind",
    {
      "/s.yaml": scenario(
        "",
        "nodes: [{ name: a }], objects: [{ apiVersion: apps/v1, kind: Deploymnt, metadata: { name: x } }]"
      )
    },
    '/s.yaml:7: spec.cluster.objects[0].kind: unknown kind "Deploymnt"; did you mean "Deployment"?'
  ],
  [
    "an object without a name",
    { "/s.yaml": scenario("", "nodes: [{ name: a }], objects: [{ apiVersion: v1, kind: Pod, metadata: {} }]") },
    "/s.yaml:7: spec.cluster.objects[0].metadata.name: is required"
  ],
  [
    "an object of the wrong shape",
    {
      "/s.yaml": scenario(
        "",
        "nodes: [{ name: a }], objects: [{ apiVersion: apps/v1, kind: Deployment, metadata: { name: x }, spec: { replicas: many } }]"
      )
    },
    '/s.yaml:7: spec.cluster.objects[0].spec.replicas: found "many", expected number'
  ],
  [
    "a misspelt setting",
    {
      "/s.yaml": scenario(
        "config: { kubeControllerManager: { nodeLifecycleController: { nodeMonitorGracePriod: 20s } } }"
      )
    },
    '/s.yaml:8: spec.config.kubeControllerManager.nodeLifecycleController.nodeMonitorGracePriod: unknown field; did you mean "nodeLifecycleController.nodeMonitorGracePeriod"?'
  ],
  [
    "a setting of the wrong type",
    { "/s.yaml": scenario("config: { kubeControllerManager: { generic: { clientConnection: { qps: fast } } } }") },
    '/s.yaml:8: spec.config.kubeControllerManager.generic.clientConnection.qps: found "fast", expected a number'
  ],
  [
    "a misspelt flag",
    { "/s.yaml": scenario("flags: { kube-controller-manager: [--node-monitor-perod=5s] }") },
    '/s.yaml:8: spec.flags.kube-controller-manager[0]: unknown flag: --node-monitor-perod; did you mean "--node-monitor-period"?'
  ],
  [
    "flags of no component",
    { "/s.yaml": scenario('flags: { kube-controler-manager: ["--node-eviction-rate=1"] }') },
    '/s.yaml:8: spec.flags.kube-controler-manager: unknown component, expected kube-controller-manager, kube-apiserver, kube-scheduler, cloud-controller-manager, kubelet; did you mean "kube-controller-manager"?'
  ],
  [
    "a setting in the wrong place",
    { "/s.yaml": scenario("config: { kubeControllerManager: { nodeMonitorGracePeriod: 40s } }") },
    '/s.yaml:8: spec.config.kubeControllerManager.nodeMonitorGracePeriod: unknown field; did you mean "nodeLifecycleController.nodeMonitorGracePeriod"?'
  ],
  [
    "a rate below 0",
    { "/s.yaml": scenario("config: { kubeControllerManager: { nodeLifecycleController: { nodeEvictionRate: -1 } } }") },
    "/s.yaml:8: spec.config.kubeControllerManager.nodeLifecycleController.nodeEvictionRate: found -1, expected a number of at least 0"
  ],
  [
    "a threshold above 1",
    { "/s.yaml": scenario('flags: { kube-controller-manager: ["--unhealthy-zone-threshold=55"] }') },
    '/s.yaml:8: spec.flags.kube-controller-manager[0]: invalid argument "55" for "--unhealthy-zone-threshold" flag: value out of range; expected a number from 0 to 1'
  ],
  [
    "a label that no node can have",
    { "/s.yaml": scenario("", 'nodes: [{ name: a, labels: { pool: "a b" } }]') },
    "/s.yaml:7: spec.cluster.nodes[0].labels.pool: found \"a b\", not a label's value: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
  ],
  [
    "a resource that is nearly one",
    { "/s.yaml": scenario("", "nodes: [{ name: a, capacity: { cpus: 4 } }]") },
    '/s.yaml:7: spec.cluster.nodes[0].capacity.cpus: unknown resource; did you mean "cpu"?'
  ],
  [
    "a capacity below 0",
    { "/s.yaml": scenario("", 'nodes: [{ name: a, capacity: { cpu: "-4" } }]') },
    '/s.yaml:7: spec.cluster.nodes[0].capacity.cpu: found "-4", expected a quantity that is not negative'
  ],
  [
    "a restart of no component",
    { "/s.yaml": event("{ at: 1m, fault: controller-restart, component: kube-sheduler }") },
    '/s.yaml:8: spec.events[0].component: found "kube-sheduler", expected one of kube-controller-manager, kube-scheduler, cloud-controller-manager; did you mean "kube-scheduler"?'
  ],
  [
    "an object of no kind",
    { "/s.yaml": event("{ at: 1m, do: patch, object: { kind: Deploymnt, name: p }, patch: {} }") },
    '/s.yaml:8: spec.events[0].object.kind: unknown kind "Deploymnt"; did you mean "Deployment"?'
  ],
  [
    "an expectation that nothing can meet",
    { "/s.yaml": scenario("expect: [{ name: n, evictions: {}, min: 3, max: 1 }]") },
    "/s.yaml:8: spec.expect[0].min: is more than max, so that nothing can be both: 3 > 1"
  ],
  [
    "a condition that is nearly one",
    { "/s.yaml": scenario('expect: [{ name: n, condition: { node: a-0, type: Redy, status: "True" } }]') },
    '/s.yaml:8: spec.expect[0].condition.type: no node has the condition "Redy"; did you mean "Ready"?'
  ],
  [
    "a field that no such trace entry has",
    { "/s.yaml": scenario("expect: [{ name: n, trace: { type: PodDeleted, podname: x }, min: 1 }]") },
    "/s.yaml:8: spec.expect[0].trace.podname: PodDeleted has no such field; known here: namespace, pod, node"
  ],
  [
    "a field of a trace entry that cannot say this",
    { "/s.yaml": scenario("expect: [{ name: n, trace: { type: ConditionChanged, to: unknown }, min: 1 }]") },
    '/s.yaml:8: spec.expect[0].trace.to: found "unknown", expected one of True, False, Unknown; did you mean "Unknown"?'
  ],
  [
    "replicas of no kind of workload",
    { "/s.yaml": scenario("expect: [{ name: n, ready: { kind: Deploymnt, name: web }, min: 1 }]") },
    '/s.yaml:8: spec.expect[0].ready.kind: found "Deploymnt", expected one of Deployment, StatefulSet, ReplicaSet, Service; did you mean "Deployment"?'
  ],
  [
    "replicas of a workload that is not there",
    { "/s.yaml": scenario("expect: [{ name: n, unavailableSeconds: { kind: Deployment, name: web }, max: 1 }]") },
    '/s.yaml:8: spec.expect[0].unavailableSeconds.name: no Deployment "web" in namespace default; there are none'
  ]
]

describe("bad scenarios", () => {
  for (const [what, files, message] of table) {
    it(what, () => assert.strictEqual(load(files), message))
  }

  it("reports several problems together", () => {
    const message = load({ "/s.yaml": event("{ at: 1m, fault: crash }, { at: 2m, do: scale }") })
    assert.strictEqual(
      message,
      "/s.yaml:8: spec.events[0].nodes: is required for crash\n/s.yaml:8: spec.events[1].object: is required for scale\n/s.yaml:8: spec.events[1].replicas: is required for scale"
    )
  })

  it("reports an invalid --set and an invalid --until", () => {
    const good = { "/s.yaml": scenario("") }
    assert.strictEqual(load(good, ["duration"]), "--set: duration: expected spec.path=value, such as spec.duration=30m")
    assert.strictEqual(load(good, ["spec.seed=x"]), '/s.yaml: spec.seed: found "x", expected number')
    assert.strictEqual(load(good, [], "later"), '--until: found "later", expected a duration above 0 such as 30m')
  })

  it("accepts expectations of nodes and zones that events may add", () => {
    const plans = load({
      "/s.yaml": scenario(
        "events: [{ at: 1m, do: label, nodes: {}, labels: { topology.kubernetes.io/zone: zone-z } }]\n  expect: [{ name: x, zoneState: { zone: zone-z, state: Normal } }]"
      )
    })
    assert.isArray(plans)
  })

  it("warns of fields and events without effect", () => {
    const plans = load({
      "/s.yaml": scenario(
        "events: [{ at: 11m, fault: memory-pressure, nodes: {}, available: 100Mi }]",
        "nodes: [{ name: a }]"
      )
    })
    assert.deepStrictEqual(typeof plans === "string" ? plans : plans[0]?.warnings, [
      "/s.yaml: spec.events[0] is after the end of the scenario, and will not happen"
    ])
  })

  it("warns of values that are valid but unlikely to be intended", () => {
    const plans = load({
      "/s.yaml": scenario(
        "expect: [{ name: n, evictions: {}, max: 0, from: 50m }, { name: n, evictions: {}, max: 1 }]",
        "nodes: [{ name: a }], objects: [{ apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { nodeName: a-9 } }]"
      )
    })
    assert.deepStrictEqual(typeof plans === "string" ? plans : plans[0]?.warnings, [
      "/s.yaml: spec.expect[0].from is after the end of the scenario: nothing is looked at",
      "/s.yaml: spec.expect[1].name is the name of spec.expect[0] too",
      '/s.yaml: spec.cluster.objects[0].spec.nodeName: no node "a-9" in this cluster; did you mean "a-0"?'
    ])
  })

  it("warns of kinds and settings that are not modelled", () => {
    const plans = load({
      "/s.yaml": scenario(
        "config: { kubeControllerManager: { csrSigningController: { clusterSigningDuration: 1h } } }",
        "nodes: [{ name: a }], objects: [{ apiVersion: v1, kind: Endpoints, metadata: { name: x } }]"
      )
    })
    assert.isArray(plans)
    assert.deepStrictEqual(typeof plans === "string" ? [] : plans[0]?.warnings, [
      "/s.yaml: Endpoints is not modelled, left out",
      "/s.yaml: spec.config.kubeControllerManager.csrSigningController.clusterSigningDuration is not supported and has no effect"
    ])
  })
})
