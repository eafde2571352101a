import { assert, describe, it } from "vitest"
import type { ScenarioDocument } from "../src/index.ts"
import { checkForecast, forecastDeletions, rehearseOutage, secondsOf, type Tolerance } from "./rehearsedOutage.ts"

const UNREACHABLE = "node.kubernetes.io/unreachable"
const NOT_READY = "node.kubernetes.io/not-ready"
const unreachableKeys = [UNREACHABLE, NOT_READY]

/** The toleration seconds of a pod; null: no limit. Undefined: the admission default, 300 s. */
const pod = (name: string, node: string, seconds?: number | null, keys: ReadonlyArray<string> = unreachableKeys) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    nodeName: node,
    ...(seconds === undefined
      ? {}
      : {
          tolerations: keys.map((key) => ({
            key,
            operator: "Exists",
            effect: "NoExecute",
            ...(seconds === null ? {} : { tolerationSeconds: seconds })
          }))
        }),
    containers: [{ name: "c", image: "registry.example/c:1" }]
  }
})

type Spec = ScenarioDocument["spec"]

const scenario = (
  zones: Readonly<Record<string, number>>,
  objects: NonNullable<Spec["cluster"]["objects"]>,
  events: NonNullable<Spec["events"]>,
  more: Partial<Spec> = {}
): ScenarioDocument => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "outage" },
  spec: {
    duration: "15m",
    cluster: {
      nodes: Object.entries(zones).map(([name, count]) => ({ name, count, zone: `zone-${name}` })),
      objects
    },
    events,
    ...more
  }
})

const podOnEachNode = (zone: string, many: number, seconds?: number | null) =>
  Array.from({ length: many }, (_, index) =>
    pod(`p-${seconds === undefined ? "usual" : (seconds ?? "ever")}-${zone}-${index}`, `${zone}-${index}`, seconds)
  )

/** Nodes that fall silent at 60 s are Unknown by 120 s. */
const outages: Readonly<
  Record<
    string,
    {
      readonly scenario: ScenarioDocument
      readonly looks: ReadonlyArray<number>
      readonly settings?: Parameters<typeof rehearseOutage>[2]
      readonly agreement?: Tolerance
    }
  >
> = {
  "a zone drops out": {
    scenario: scenario(
      { a: 4, b: 6 },
      [
        ...podOnEachNode("b", 6),
        ...podOnEachNode("b", 6, 30),
        ...podOnEachNode("b", 6, null),
        ...podOnEachNode("a", 4)
      ],
      [{ at: 60, fault: "partition", nodes: { zone: "zone-b" } }]
    ),
    looks: [125, 140, 170, 300, 430]
  },
  "one node, not noticed yet": {
    scenario: scenario(
      { a: 4, b: 6 },
      [pod("p", "b-1"), pod("q", "b-1", 30)],
      [{ at: 60, fault: "crash", nodes: { names: ["b-1"] } }]
    ),
    looks: [80, 90, 100],
    // Any pass may detect it, and a status update without a Lease renewal can delay that by one pass.
    agreement: { late: 12 }
  },
  "most of a small zone": {
    scenario: scenario(
      { a: 4, b: 5 },
      [...podOnEachNode("b", 5), ...podOnEachNode("b", 5, 30)],
      [{ at: 60, fault: "partition", nodes: { names: ["b-0", "b-1", "b-2"] } }]
    ),
    looks: [125, 200, 350]
  },
  "most of a large zone": {
    scenario: scenario(
      { a: 4, b: 9 },
      [...podOnEachNode("b", 9), ...podOnEachNode("b", 9, 30)],
      [{ at: 60, fault: "partition", nodes: { names: ["b-0", "b-1", "b-2", "b-3", "b-4"] } }],
      { config: { kubeControllerManager: { nodeLifecycleController: { largeClusterSizeThreshold: 8 } } } }
    ),
    settings: { largeClusterSizeThreshold: 8 },
    looks: [125, 200, 350, 500]
  },
  "every zone": {
    scenario: scenario(
      { a: 3, b: 3 },
      [...podOnEachNode("a", 3), ...podOnEachNode("b", 3, 30)],
      [{ at: 60, fault: "partition", nodes: { fraction: 1 } }]
    ),
    looks: [125, 200, 350]
  },
  "every zone, and then some are back": {
    scenario: scenario(
      { a: 3, b: 5 },
      [...podOnEachNode("a", 3), ...podOnEachNode("b", 5, 30)],
      [
        { at: 60, fault: "partition", nodes: { zone: "zone-b" } },
        { at: 60, for: 100, fault: "partition", nodes: { zone: "zone-a" } }
      ]
    ),
    looks: [185, 195, 240]
  },
  "one zone, and then all": {
    scenario: scenario(
      { a: 3, b: 3 },
      [...podOnEachNode("a", 3, 30), ...podOnEachNode("b", 3)],
      [
        { at: 60, fault: "partition", nodes: { zone: "zone-b" } },
        { at: 200, fault: "partition", nodes: { zone: "zone-a" } }
      ]
    ),
    looks: [275, 300]
  },
  "a kubelet that says itself that it is not ready": {
    scenario: scenario(
      { a: 4 },
      [pod("p", "a-1"), pod("q", "a-1", 60)],
      [{ at: 60, fault: "kubelet-not-ready", nodes: { names: ["a-1"] } }]
    ),
    looks: [110, 150, 200]
  },
  "a machine out of service": {
    scenario: scenario(
      { a: 4 },
      [pod("p", "a-1"), pod("q", "a-1", 60), pod("r", "a-1", null), pod("s", "a-1", null, [""])],
      [
        { at: 60, fault: "crash", nodes: { names: ["a-1"] } },
        { at: 240, do: "out-of-service", nodes: { names: ["a-1"] } }
      ]
    ),
    looks: [245]
  },
  "a taint of an operator's own": {
    scenario: scenario(
      { a: 4 },
      [pod("p", "a-1", 90, ["example.com/upkeep"]), pod("q", "a-1", null, ["example.com/upkeep"])],
      [{ at: 60, do: "taint", nodes: { names: ["a-1"] }, taint: { key: "example.com/upkeep", effect: "NoExecute" } }]
    ),
    looks: [65, 100]
  },
  "two taints, one after the other": {
    scenario: scenario(
      { a: 4 },
      [pod("p", "a-1", 500, [UNREACHABLE, "example.com/upkeep"]), pod("q", "a-1", 60, ["", UNREACHABLE])],
      [
        { at: 60, fault: "partition", nodes: { names: ["a-1"] } },
        { at: 200, do: "taint", nodes: { names: ["a-1"] }, taint: { key: "example.com/upkeep", effect: "NoExecute" } }
      ]
    ),
    looks: [210, 400]
  },
  "a node that is back": {
    scenario: scenario(
      { a: 4 },
      [pod("p", "a-1"), pod("q", "a-1", 30)],
      [{ at: 60, for: 120, fault: "partition", nodes: { names: ["a-1"] } }]
    ),
    looks: [195]
  },
  "release 1.4, in which the controller deletes pods": {
    scenario: scenario(
      { a: 3, b: 4 },
      podOnEachNode("b", 4),
      [{ at: 60, fault: "partition", nodes: { zone: "zone-b" } }],
      {
        release: "1.4"
      }
    ),
    looks: [125, 300, 395]
  }
}

describe("a rehearsal confirms the forecast", () => {
  for (const [name, { agreement, looks, scenario: document, settings }] of Object.entries(outages)) {
    it(name, async () => {
      const outage = await rehearseOutage(document, looks, settings)
      for (const look of outage.timedForecasts) checkForecast(look, outage, 900, agreement)
    })
  }
})

describe("a forecast", () => {
  it("reports when the last healthy node falls silent, and that all evictions are then cancelled", async () => {
    const all = scenario(
      { a: 3, b: 3 },
      [...podOnEachNode("a", 3, 30), ...podOnEachNode("b", 3)],
      [
        { at: 60, fault: "partition", nodes: { zone: "zone-b" } },
        { at: 200, fault: "partition", nodes: { zone: "zone-a" } }
      ]
    )
    const { timedForecasts: looks, trace } = await rehearseOutage(all, [225], {}, true)
    const forecast = looks[0]?.forecast
    assert.isDefined(forecast)
    assert.isFalse(forecast.allZonesDown)
    const end = forecast.zones.flatMap(({ changes }) => changes).at(-1)
    assert.strictEqual(end?.stoppedBy, "all-zones-down")
    const entered = trace.find((entry) => entry.type === "AllZonesDown" && entry.entered)
    assert.approximately(secondsOf(end?.atMs ?? 0), entered?.at ?? 0, 10)
    const forgiven = forecast.nodes.filter(({ taintRemovedAtMs }) => taintRemovedAtMs !== undefined)
    assert.includeMembers(
      forgiven.map(({ node }) => node.metadata.name),
      ["b-0", "b-1", "b-2"]
    )
    assert.isEmpty([...forecastDeletions(forecast).keys()].filter((key) => key.includes("on b-")))
  })

  it("reports the queue of nodes with positions, and why no node is evicted", async () => {
    const { scenario: document, looks: instants } = outages["most of a small zone"] ?? assert.fail()
    const { timedForecasts: looks } = await rehearseOutage(document, instants)
    const forecast = looks[0]?.forecast ?? assert.fail()
    const zone = forecast.zones.find((one) => one.zone === "zone-b")
    assert.strictEqual(zone?.stoppedBy, "partial-disruption")
    assert.isNotEmpty(zone?.waiting ?? [])
    for (const [index, name] of (zone?.waiting ?? []).entries()) {
      const node = forecast.nodes.find((one) => one.node.metadata.name === name)
      assert.strictEqual(node?.place, index + 1)
      assert.strictEqual(node?.stoppedBy, "partial-disruption")
      assert.isUndefined(node?.queueReachedAtMs)
      assert.deepStrictEqual(
        node?.pods.map(({ outcome, why }) => ({ outcome, why })),
        Array.from({ length: 2 }, () => ({ outcome: "stays" as const, why: "node-waits" as const }))
      )
    }
  })
})
