import type { ResultContext, ScenarioResult, TraceEntry } from "@rollcall/simulator/result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { element, escapeHtml } from "../src/html/markup.ts"
import { nodeStates } from "../src/html/nodeStates.ts"
import { renderHtml } from "../src/html/page.ts"
import { contextOf } from "./run.ts"

const ready = (at: number, node: string, from: string | null, to: string): TraceEntry => ({
  at,
  type: "ConditionChanged",
  node,
  condition: "Ready",
  from,
  to,
  reason: "",
  message: ""
})

const taint = (type: "TaintAdded" | "TaintRemoved", at: number, node: string, effect: string): TraceEntry => ({
  at,
  type,
  node,
  key: "node.kubernetes.io/unreachable",
  effect,
  value: "",
  timeAdded: null
})

const deletionOf = (at: number, pod: string, node: string): TraceEntry => ({
  at,
  type: "PodDeletionRequested",
  namespace: "default",
  pod,
  node,
  by: "taint-eviction",
  gracePeriodSeconds: 30
})

const outageTrace: ReadonlyArray<TraceEntry> = [
  { at: 0, type: "NodeRegistered", node: "b-0" },
  ready(0, "b-0", null, "False"),
  ready(2, "b-0", "False", "True"),
  { at: 60, type: "FaultStarted", fault: "partition", nodes: ["b-0"] },
  ready(100, "b-0", "True", "Unknown"),
  taint("TaintAdded", 100, "b-0", "NoSchedule"),
  taint("TaintAdded", 105, "b-0", "NoExecute"),
  deletionOf(405, "web-1", "b-0"),
  { at: 600, type: "FaultEnded", fault: "partition", nodes: ["b-0"] },
  ready(600, "b-0", "Unknown", "True"),
  taint("TaintRemoved", 600, "b-0", "NoExecute"),
  taint("TaintRemoved", 605, "b-0", "NoSchedule"),
  { at: 700, type: "NodeDeleted", node: "b-0" }
]

const resultOf = (
  name: string,
  trace: ReadonlyArray<TraceEntry>,
  zones: ResultContext["zones"] = { b: ["b-0"] }
): ScenarioResult => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ScenarioResult",
  metadata: { name },
  spec: { release: "1.36", seed: 1, durationSeconds: 900 },
  expectations: [{ name: "a & b", held: false, at: 3, observed: "<none>" }],
  summary: {
    evictions: { total: 1, byZone: {}, byReason: {} },
    nodes: { registered: 1, deleted: 0, notReadySeconds: {} },
    workloads: [],
    clients: [],
    events: 1,
    wallSeconds: 1,
    traceDigest: "sha256:0"
  },
  warnings: [],
  context: contextOf(zones),
  trace,
  events: [],
  metrics: []
})

/** Fails if elements are not closed in order; returns the number of each element. */
const elementsOf = (html: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const open: Array<string> = []
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/g)) {
    if (name === "meta") continue
    if (slash === "/") assert.strictEqual(open.pop(), name)
    else {
      open.push(name)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  assert.deepStrictEqual(open, [])
  return counts
}

describe("the states of nodes", () => {
  it("follow registration, conditions and NoExecute taints", () => {
    const [[name, stretches] = ["", []]] = nodeStates(outageTrace, [], 900)
    assert.strictEqual(name, "b-0")
    assert.deepStrictEqual(
      stretches.map(({ from, state, to }) => [state, from, to]),
      [
        ["not-ready", 0, 2],
        ["ready", 2, 100],
        ["not-ready", 100, 105],
        ["tainted", 105, 600],
        ["no-schedule", 600, 605],
        ["ready", 605, 700],
        ["absent", 700, 900]
      ]
    )
  })

  it("start as Ready for nodes that existed before the run, and stay Ready without entries", () => {
    const states = nodeStates([ready(30, "a-0", "True", "Unknown")], ["a-0", "a-1"], 60)
    assert.deepStrictEqual(states.get("a-0"), [
      { state: "ready", from: 0, to: 30 },
      { state: "not-ready", from: 30, to: 60 }
    ])
    assert.deepStrictEqual(states.get("a-1"), [{ state: "ready", from: 0, to: 60 }])
  })

  it("fill the run without a gap", () => {
    const change = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.constantFrom("a-0", "a-1"), fc.nat(4))
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const trace = changes
          .sort(([left], [right]) => left - right)
          .map(([at, node, what]): TraceEntry => {
            if (what === 0) return { at, type: "NodeRegistered", node }
            if (what === 1) return { at, type: "NodeDeleted", node }
            if (what === 2) return ready(at, node, null, at % 2 === 0 ? "True" : "Unknown")
            return taint(what === 3 ? "TaintAdded" : "TaintRemoved", at, node, "NoExecute")
          })
        for (const stretches of nodeStates(trace, ["a-0", "a-1"], 101).values()) {
          assert.strictEqual(stretches[0]?.from, 0)
          assert.strictEqual(stretches.at(-1)?.to, 101)
          for (const [index, { from, state }] of stretches.entries()) {
            if (index === 0) continue
            assert.strictEqual(from, stretches[index - 1]?.to)
            assert.notStrictEqual(state, stretches[index - 1]?.state)
          }
        }
      })
    )
  })
})

describe("the page", () => {
  it("draws a lane for each node with a dot for each eviction, and agrees with the table", () => {
    const html = renderHtml([resultOf("outage", outageTrace, { a: ["a-0"], b: ["b-0"] })])
    const counts = elementsOf(html)
    assert.strictEqual(counts.get("svg"), 2)
    assert.strictEqual(counts.get("circle"), 1)
    // The fault in two charts, one stretch of a-0, seven of b-0, two of the pod.
    assert.strictEqual(counts.get("rect"), 12)
    assert.include(html, "WHAT HAPPENED")
    assert.include(html, "b-0: tainted NoExecute 01:45.0 to 10:00.0")
    assert.include(html, '<td class="failed">FAILED</td><td>a &amp; b</td><td>observed: &lt;none&gt; at 00:03.0</td>')
  })

  it("draws many nodes as one band for each zone", () => {
    const nodes = Array.from({ length: 200 }, (_, index) => `b-${index}`)
    const counts = elementsOf(renderHtml([resultOf("large", outageTrace, { b: nodes })]))
    assert.strictEqual(counts.get("path"), 4)
    // The fault in two charts, and two stretches of the pod.
    assert.strictEqual(counts.get("rect"), 4)
  })

  it("puts several runs side by side", () => {
    const runs = ["one", "two"].map((name) => resultOf(name, []))
    const html = renderHtml(runs)
    assert.strictEqual(elementsOf(html).get("article"), 2)
    assert.include(html, "SIDE BY SIDE")
    assert.include(html, "<title>one, two</title>")
  })

  it("loads nothing from elsewhere", () => {
    const html = renderHtml([resultOf("outage", outageTrace)])
    assert.notMatch(html, /<script|<link|<img|@import|url\(|https?:/)
  })

  it("escapes all texts", () => {
    const text = fc.string({ unit: fc.constantFrom("<", ">", "&", '"', "'", "a", "/", "!", "-") })
    fc.assert(
      fc.property(text, (name) => {
        const expected = elementsOf(renderHtml([resultOf("x", outageTrace)]))
        const result = { ...resultOf(name, outageTrace), context: contextOf({ [name]: ["b-0"] }, name) }
        assert.deepStrictEqual(elementsOf(renderHtml([result])), expected)
        assert.strictEqual(element("p", { title: name }, ""), `<p title="${escapeHtml(name)}"></p>`)
      })
    )
  })
})
