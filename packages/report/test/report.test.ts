import type { ScenarioResult, TraceEntry } from "@rollcall/simulator/result"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { renderJson, renderYaml } from "../src/machineFormats.ts"
import { findMoves } from "../src/moves.ts"
import { renderTable } from "../src/table.ts"
import { timelineOf } from "../src/timeline.ts"
import { contextOf } from "./run.ts"

const zoneOf = (node: string) => (node.startsWith("b") ? "zone-b" : "")
const onNode = (pod: string, node: string) => ({ namespace: "default", pod, node })
const owner = "ReplicaSet/web"

const noExecute = (at: number, node: string): TraceEntry => ({
  at,
  type: "TaintAdded",
  node,
  key: "node.kubernetes.io/unreachable",
  effect: "NoExecute",
  value: "",
  timeAdded: null
})

const readyUnknown = (at: number, node: string): TraceEntry => ({
  at,
  type: "ConditionChanged",
  node,
  condition: "Ready",
  from: "True",
  to: "Unknown",
  reason: "NodeStatusUnknown",
  message: ""
})

const deletion = (at: number, pod: string, node: string, gracePeriodSeconds = 30): TraceEntry => ({
  at,
  type: "PodDeletionRequested",
  ...onNode(pod, node),
  by: "taint-eviction",
  gracePeriodSeconds
})

/** Three nodes of a zone fail; two pods move. */
const trace: ReadonlyArray<TraceEntry> = [
  { at: 0, type: "PodCreated", namespace: "default", pod: "web-1", owner, node: "b-0" },
  { at: 0, type: "PodCreated", namespace: "default", pod: "web-2", owner, node: "b-1" },
  { at: 0, type: "PodCreated", namespace: "default", pod: "bare", owner: null, node: "b-2" },
  { at: 60, type: "FaultStarted", fault: "partition", nodes: ["b-0", "b-1", "b-2"] },
  readyUnknown(110, "b-0"),
  readyUnknown(110.5, "b-1"),
  noExecute(110.6, "b-0"),
  { at: 110.7, type: "ZoneStateChanged", region: "r1", zone: "zone-b", from: "Normal", to: "FullDisruption" },
  readyUnknown(111, "b-2"),
  noExecute(120.6, "b-1"),
  noExecute(130.6, "b-2"),
  deletion(410.6, "web-1", "b-0"),
  { at: 410.7, type: "PodCreated", namespace: "default", pod: "web-3", owner },
  { at: 410.8, type: "PodScheduled", ...onNode("web-3", "a-0") },
  { at: 412.1, type: "PodReadyChanged", ...onNode("web-3", "a-0"), ready: true },
  deletion(420.6, "web-2", "b-1"),
  { at: 420.7, type: "PodCreated", namespace: "default", pod: "web-4", owner },
  deletion(430.6, "bare", "b-2"),
  deletion(430.9, "bare", "b-2", 0),
  { at: 430.9, type: "PodDeleted", ...onNode("bare", "b-2") },
  { at: 600, type: "FaultEnded", fault: "partition", nodes: ["b-0", "b-1", "b-2"] }
]

describe("the timeline", () => {
  it("puts entries that belong together on one line", () => {
    assert.deepStrictEqual(
      timelineOf(trace, { zoneOf }).map(({ from, text, to, topic }) => `${from} ${to} ${topic} ${text}`),
      [
        "0 0 pods 2 pods created by ReplicaSet/web",
        "60 60 fault partition begins (cut off from the API; containers keep running) on 3 nodes (zone-b: 3): b-0, b-1, b-2",
        "110 111 nodes 3 nodes in zone-b: Ready True → Unknown (NodeStatusUnknown)",
        "110.6 130.6 taints 3 nodes in zone-b get node.kubernetes.io/unreachable:NoExecute, one each 10s: b-0, b-1, b-2",
        "110.7 110.7 zones zone-b: Normal → FullDisruption",
        "410.6 430.6 pods 3 pods in zone-b evicted: web-1, web-2 and 1 more",
        "410.7 410.7 pods 1 pod created by ReplicaSet/web",
        "412.1 412.1 pods 1 pod ready",
        "420.7 420.7 pods 1 pod created by ReplicaSet/web",
        "600 600 fault partition ends on 3 nodes (zone-b: 3): b-0, b-1, b-2"
      ]
    )
  })

  it("begins a new line after a pause, and for another zone or key", () => {
    const later = [noExecute(0, "b-0"), noExecute(111, "b-1"), noExecute(111, "a-0"), noExecute(115, "b-2")]
    assert.deepStrictEqual(
      timelineOf(later, { zoneOf }).map(({ from, to }) => [from, to]),
      [
        [0, 0],
        [111, 115],
        [111, 111]
      ]
    )
  })

  it("leaves out routine entries", () => {
    const dull: ReadonlyArray<TraceEntry> = [
      { at: 0, type: "ZoneStateChanged", region: "", zone: "", from: "Initial", to: "Normal" },
      { at: 0, type: "ZoneCreated", region: "", zone: "" },
      { at: 0, type: "PodPhaseChanged", ...onNode("p", "a-0"), from: "Pending", to: "Running", reason: "" },
      { at: 0, type: "LeaseRenewed", node: "a-0", renewTime: "" }
    ]
    assert.deepStrictEqual(timelineOf(dull, { zoneOf }), [])
  })
})

describe("the pods that moved", () => {
  it("are paired with their replacements", () => {
    assert.deepStrictEqual(
      findMoves(trace).map(({ at, node, pod, readyAt, replacement, replacementNode, by }) => [
        at,
        pod,
        node,
        by,
        replacement,
        replacementNode,
        readyAt
      ]),
      [
        [410.6, "web-1", "b-0", "taint-eviction", "web-3", "a-0", 412.1],
        [420.6, "web-2", "b-1", "taint-eviction", "web-4", undefined, undefined],
        [430.6, "bare", "b-2", "taint-eviction", undefined, undefined, undefined]
      ]
    )
  })

  it("exclude pods that their workload deleted, and each is listed once", () => {
    const scaled: TraceEntry = {
      at: 1,
      type: "PodDeletionRequested",
      ...onNode("web-1", "a-0"),
      by: "workload",
      gracePeriodSeconds: 30
    }
    assert.deepStrictEqual(findMoves([scaled]), [])
    assert.lengthOf(findMoves([deletion(1, "p", "b-0"), deletion(2, "p", "b-0", 0)]), 1)
  })
})

const result: ScenarioResult = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ScenarioResult",
  metadata: { name: "small" },
  spec: { release: "1.36", seed: 7, durationSeconds: 900 },
  expectations: [
    { name: "two move", held: true, at: 420.6, observed: "3" },
    { name: "web stays", held: false, at: 110.5, observed: "1 ready" }
  ],
  summary: {
    evictions: { total: 3, byZone: { "zone-b": 3 }, byReason: { "taint-eviction": 3 } },
    nodes: { registered: 4, deleted: 0, notReadySeconds: { "b-0": 490 } },
    workloads: [{ kind: "Deployment", namespace: "default", name: "web", minReady: 0, unavailableSeconds: 301.6 }],
    clients: [
      { client: "quick", qps: 50, burst: 100, requests: 10, longestWaitSeconds: 4.9, longestWaitAt: 1 },
      { client: "slow", qps: 20, burst: 30, requests: 1_200, longestWaitSeconds: 61, longestWaitAt: 130 }
    ],
    events: 12_345,
    wallSeconds: 0.5,
    traceDigest: "sha256:0123456789abcdef"
  },
  warnings: [],
  context: contextOf({ "": ["a-0"], "zone-b": ["b-0", "b-1", "b-2"] }, "What it is about."),
  trace,
  events: [],
  metrics: [
    { at: 5, zones: { "r1/zone-b": { size: 3, health: 100, unhealthy: 0, evictions: 0 } } },
    { at: 130, zones: { "r1/zone-b": { size: 3, health: 0, unhealthy: 3, evictions: 3 } } }
  ]
}

describe("the table", () => {
  it("shows the causes, the timeline and the tables", () => {
    assert.strictEqual(
      renderTable(result),
      `small
What it is about.

Kubernetes 1.36 · 4 nodes · 15m of virtual time in 0.5s (1,800 times real time) · seed 7

WHY
- The first silent node was detected after 50s: --node-monitor-grace-period is 50s, counted from a
  node's last heartbeat, which is up to 10s old; the controller checks each 5s.
- zone-b has no Ready node: FullDisruption, in which nodes are tainted for eviction at the normal
  --node-eviction-rate 0.1, one node each 10s, as for single lost machines.
- 3 pods were evicted, the first 5m 51s after its node fell silent: 5m after the node's NoExecute
  taint, tolerationSeconds 300 (the default, --default-unreachable-toleration-seconds). Nodes are
  tainted one after the other, so the last pod was evicted at 07:10.6.

WHAT HAPPENED
  00:00.0              pods    2 pods created by ReplicaSet/web
  01:00.0              fault   partition begins (cut off from the API; containers keep running) on 3 nodes (zone-b: all 3): b-0, b-1, b-2
  01:50.0  to 01:51.0  nodes   3 nodes in zone-b: Ready True → Unknown (NodeStatusUnknown)
  01:50.6  to 02:10.6  taints  3 nodes in zone-b get node.kubernetes.io/unreachable:NoExecute, one each 10s: b-0, b-1, b-2
  01:50.7              zones   zone-b: Normal → FullDisruption
  06:50.6  to 07:10.6  pods    3 pods in zone-b evicted: web-1, web-2 and 1 more
  06:50.7              pods    1 pod created by ReplicaSet/web
  06:52.1              pods    1 pod ready
  07:00.7              pods    1 pod created by ReplicaSet/web
  10:00.0              fault   partition ends on 3 nodes (zone-b: all 3): b-0, b-1, b-2

ZONES
  ZONE       NODES  MOST NOT READY  NODES TAINTED  PODS EVICTED  STATES, AND NODES TAINTED A SECOND AT MOST
  r1/zone-b  3      3               3              3             FullDisruption 0.1/s

PODS THAT MOVED
  WHEN     POD    FROM  WHY             REPLACED BY   ON
  06:50.6  web-1  b-0   taint-eviction  web-3         a-0         ready at 06:52.1, 1.5s later
  07:00.6  web-2  b-1   taint-eviction  web-4         not placed
  07:10.6  bare   b-2   taint-eviction  not replaced

WORKLOADS
  WORKLOAD                FEWEST READY  SHORT OF REPLICAS FOR
  Deployment default/web  0             5m 2s

CLIENT RATE LIMITS THAT CAUSED DELAYS
  slow may send 20 requests a second (burst 30): the slowest of its 1,200 requests, at 02:10.0, had
  waited 61s for the limiter. Its writes (conditions, taints, pods marked not ready, Events) were late
  by as much; generic.clientConnection.qps and burst raise the limit.

EXPECTATIONS
  held    two move   (3)
  FAILED  web stays  observed: 1 ready at 01:50.5

3 pods evicted · 1 of 2 expectations failed · trace sha256:0123456789ab…
`
    )
  })

  it("is short if little happened", () => {
    const quiet: ScenarioResult = {
      ...result,
      expectations: [],
      summary: {
        ...result.summary,
        evictions: { total: 0, byZone: {}, byReason: {} },
        nodes: { registered: 1, deleted: 0, notReadySeconds: {} },
        workloads: [],
        clients: []
      },
      context: contextOf({ "": ["a-0"] }),
      trace: [],
      metrics: []
    }
    assert.strictEqual(
      renderTable(quiet),
      `small

Kubernetes 1.36 · 1 node · 15m of virtual time in 0.5s (1,800 times real time) · seed 7

WHAT HAPPENED

PODS THAT MOVED
  none

0 pods evicted · no expectations · trace sha256:0123456789ab…
`
    )
  })
})

describe("the machine-readable result", () => {
  it("is complete, in JSON with one trace entry a line, and in YAML", () => {
    const text = renderJson(result)
    assert.deepStrictEqual(JSON.parse(text), result)
    for (const entry of trace) assert.include(text, `\n    ${JSON.stringify(entry)}`)
    assert.isTrue(text.endsWith("}\n"))
    assert.deepStrictEqual(parse(renderYaml(result)), result)
  })

  it("is valid JSON without any entry", () => {
    const empty = { ...result, trace: [], events: [], metrics: [] }
    assert.deepStrictEqual(JSON.parse(renderJson(empty)), empty)
  })
})
