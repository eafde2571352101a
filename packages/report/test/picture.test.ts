import type { TraceEntry } from "@rollcall/simulator/result"
import { assert, describe, it } from "vitest"
import { podStates } from "../src/html/podStates.ts"
import { renderHtml, renderOne, renderSvg } from "../src/index.ts"
import { podWithoutOwner, rehearseSpec } from "./run.ts"

const onNode = { namespace: "default", pod: "web-0", node: "a-0" }

const trace: ReadonlyArray<TraceEntry> = [
  { at: 1, type: "PodCreated", namespace: "default", pod: "web-0", owner: "StatefulSet/web" },
  { at: 1, type: "PodScheduled", ...onNode },
  { at: 2, type: "PodPhaseChanged", ...onNode, from: "Pending", to: "Running", reason: "" },
  { at: 4, type: "PodReadyChanged", ...onNode, ready: true },
  { at: 40, type: "PodReadyChanged", ...onNode, ready: false },
  { at: 50, type: "PodDeletionRequested", ...onNode, by: "taint-eviction", gracePeriodSeconds: 30 },
  { at: 60, type: "PodDeleted", ...onNode },
  { at: 70, type: "PodCreated", namespace: "default", pod: "web-0", owner: "StatefulSet/web" },
  { at: 71, type: "PodScheduled", ...onNode, node: "b-0" },
  { at: 72, type: "PodPhaseChanged", ...onNode, node: "b-0", from: "Pending", to: "Failed", reason: "Terminated" }
]

describe("the states of pods", () => {
  it("follow creation, scheduling, phase, readiness and deletion; a name that is used again continues its lane", () => {
    assert.deepStrictEqual(
      podStates(trace, 90)
        .get("default/web-0")
        ?.map(({ from, node, state, to }) => [state, node, from, to]),
      [
        ["absent", "", 0, 1],
        ["pending", "a-0", 1, 2],
        ["running", "a-0", 2, 4],
        ["ready", "a-0", 4, 40],
        ["running", "a-0", 40, 50],
        ["terminating", "a-0", 50, 60],
        ["absent", "a-0", 60, 70],
        ["pending", "", 70, 71],
        ["pending", "b-0", 71, 72],
        ["ended", "b-0", 72, 90]
      ]
    )
  })

  it("start as ready for pods that existed before the run", () => {
    const [first] = podStates([{ at: 50, type: "PodDeleted", ...onNode }], 90).get("default/web-0") ?? []
    assert.deepStrictEqual(first, { state: "ready", node: "a-0", from: 0, to: 50 })
  })
})

const outage = rehearseSpec({
  duration: "10m",
  cluster: { nodes: [{ name: "a", count: 3, zone: "zone-a" }], objects: [podWithoutOwner("web", "a-0")] },
  events: [
    { at: "1m", do: "cordon", nodes: { names: ["a-1"] } },
    { at: "2m", fault: "partition", nodes: { names: ["a-0"] } }
  ]
})

const classesOf = (svg: string): ReadonlySet<string> =>
  new Set([...svg.matchAll(/ class="([^"]*)"/g)].map(([, name = ""]) => name))

describe("the picture", () => {
  it("has the charts of the page, with every lane, state, fault and action", () => {
    const svg = renderSvg([outage])
    assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 800 \d+"/)
    for (const text of [">a-0<", ">zone-a<", ">web<", ">NODES<", ">PODS<", "partition (1)", "cordon (1)"]) {
      assert.include(svg, text)
    }
    const classes = ["ready", "no-schedule", "not-ready", "tainted", "fault", "action", "pod-ready", "pod-terminating"]
    assert.includeMembers([...classesOf(svg)], classes)
    const page = renderHtml([outage])
    for (const name of classes) assert.include(page, `class="${name}"`)
  })

  it("explains each colour that it uses, and no other", () => {
    const classes = classesOf(renderSvg([outage]))
    for (const name of ["ready", "tainted", "pod-ready"]) assert.isTrue(classes.has(`swatch-${name}`), name)
    for (const name of ["pod-ended", "renewal", "ready-line"]) assert.isFalse(classes.has(`swatch-${name}`), name)
  })

  it("loads nothing from elsewhere, and has both modes", () => {
    const svg = renderSvg([outage])
    assert.notMatch(svg.replace("http://www.w3.org/2000/svg", ""), /<script|<image|@import|url\(|https?:/)
    assert.include(svg, "prefers-color-scheme: dark")
  })

  it("shows several runs one below the other, with their names", () => {
    const two = renderSvg([outage, { ...outage, metadata: { name: "second" } }])
    assert.include(two, ">second</text>")
    assert.strictEqual(two.split(">NODES<").length, 3)
    assert.strictEqual(renderOne("svg", outage, 0), "")
  })

  it("shows the pods that move where there are many", () => {
    const svg = renderSvg([manyPods()])
    assert.include(svg, ">moves<")
    assert.notInclude(svg, ">stays-3<")
  })
})

const manyPods = () =>
  rehearseSpec({
    duration: "10m",
    cluster: {
      nodes: [{ name: "a", count: 2 }],
      objects: [
        podWithoutOwner("moves", "a-0"),
        ...Array.from({ length: 25 }, (_, index) => podWithoutOwner(`stays-${index}`, "a-1"))
      ]
    },
    events: [{ at: "1m", do: "drain", nodes: { names: ["a-0"] }, force: true }]
  })
