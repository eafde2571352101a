import type { TraceEntry } from "@rollcall/simulator/result"
import { assert, describe, it } from "vitest"
import { outageSections } from "../src/compare/outage.ts"
import { renderSideBySide } from "../src/sideBySide.ts"
import { renderTable } from "../src/table.ts"
import { foldRepeats, timelineOf } from "../src/timeline.ts"
import { podWithoutOwner, rehearseSpec } from "./run.ts"

const nodes = (count = 4, zone = "zone-a", name = "n") => ({ name, count, zone, region: "r1" })

/** The points of WHY in a run's table, each as one line. */
const whyOf = (spec: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const lines = renderTable(rehearseSpec(spec)).split("\n")
  const from = lines.indexOf("WHY")
  if (from < 0) return []
  const text = lines.slice(from + 1, lines.indexOf("", from)).join("\n")
  return text.split(/^- /m).flatMap((part) => (part === "" ? [] : [part.replace(/\s+/g, " ").trim()]))
}

const findLine = (why: ReadonlyArray<string>, part: string): string => why.find((line) => line.includes(part)) ?? ""

describe("the explanations of a run", () => {
  it("are empty if nothing happened", () => {
    assert.deepStrictEqual(whyOf({ duration: "2m", cluster: { nodes: [nodes()] } }), [])
  })

  it("name the configured values, not the defaults", () => {
    const why = whyOf({
      duration: "8m",
      config: {
        kubeControllerManager: {
          nodeLifecycleController: { nodeMonitorGracePeriod: "20s", nodeEvictionRate: 0.5 },
          kubeCloudShared: { nodeMonitorPeriod: "2s" }
        },
        kubeApiserver: { "default-unreachable-toleration-seconds": 60 }
      },
      cluster: { nodes: [nodes(), nodes(4, "zone-b", "m")], objects: [podWithoutOwner("p", "n-0")] },
      events: [{ at: "1m", fault: "crash", nodes: { zone: "zone-a" } }]
    })
    const [silence] = why
    assert.include(silence, "--node-monitor-grace-period is 20s")
    assert.include(silence, "checks each 2s")
    assert.include(findLine(why, "FullDisruption"), "--node-eviction-rate 0.5, one node each 2s")
    assert.include(
      findLine(why, "evicted"),
      "tolerationSeconds 60 (the default, --default-unreachable-toleration-seconds)"
    )
    assert.notInclude(why.join(), "containers kept running")
  })

  it("distinguish a silence that is too short to detect from a detected one", () => {
    const cut = (seconds: number) =>
      whyOf({
        duration: "4m",
        cluster: { nodes: [nodes(3)] },
        events: [{ at: "1m", for: seconds, fault: "partition", nodes: { names: ["n-0"] } }]
      })
    assert.include(cut(20)[0], "1 node fell silent for 20s and was not detected")
    assert.include(cut(20)[0], "Silence of less than 40s is never detected, of more than 1m always")
    assert.include(cut(90)[0], "The first silent node was detected after")
  })

  it("name the zone size at which evictions stop or slow down", () => {
    const half = (threshold: number) =>
      findLine(
        whyOf({
          duration: "4m",
          flags: { "kube-controller-manager": [`--large-cluster-size-threshold=${threshold}`] },
          cluster: { nodes: [nodes(5), nodes(6, "zone-b", "m")] },
          events: [{ at: "1m", fault: "partition", nodes: { group: "n", count: 4 } }]
        }),
        "PartialDisruption"
      )
    assert.include(half(5), "zone-a (3 of 5 nodes not Ready): 60 % is at least --unhealthy-zone-threshold 55 %")
    assert.include(
      half(5),
      "5 nodes are not more than --large-cluster-size-threshold 5 (of the zone, not the cluster's 11)"
    )
    assert.include(half(4), "evictions slow down to --secondary-node-eviction-rate 0.01: one node each 100s")
  })

  it("include a deletion that waits for its kubelet", () => {
    const why = whyOf({
      duration: "12m",
      cluster: { nodes: [nodes(4)], objects: [podWithoutOwner("p", "n-0")] },
      events: [{ at: "1m", for: "8m", fault: "partition", nodes: { names: ["n-0"] } }]
    })
    assert.include(findLine(why, "was deleted from"), "1 pod was deleted from 06:4")
    assert.include(findLine(why, "was deleted from"), "It ended when the network was back at 09:00.0")
  })

  it("include tolerations that were changed too late, but not those changed in time", () => {
    const changed = (at: string) =>
      findLine(
        whyOf({
          duration: "9m",
          cluster: { nodes: [nodes(4)], objects: [podWithoutOwner("p", "n-0")] },
          events: [
            { at: "1m", fault: "partition", nodes: { names: ["n-0"] } },
            {
              at,
              do: "patch",
              object: { kind: "Pod", name: "p" },
              patch: {
                spec: {
                  tolerations: [
                    {
                      key: "node.kubernetes.io/unreachable",
                      operator: "Exists",
                      effect: "NoExecute",
                      tolerationSeconds: 900
                    }
                  ]
                }
              }
            }
          ]
        }),
        "its tolerations were changed"
      )
    assert.include(changed("3m"), "p was evicted at 06:4")
    assert.strictEqual(changed("30s"), "")
  })
})

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
  }
}
const lost = (at: string, name: string) => ({ at, fault: "partition", nodes: { names: [name] } })

describe("an outage after something else", () => {
  it("names no workload that lost none of its pods then", () => {
    const result = rehearseSpec({
      duration: "5m",
      cluster: { nodes: [nodes(4)], objects: [web] },
      events: [lost("1m", "n-0")]
    })
    const other = { kind: "Deployment", namespace: "default", name: "other", minReady: 0, unavailableSeconds: 200 }
    const text = renderTable({
      ...result,
      summary: { ...result.summary, workloads: [other, ...result.summary.workloads] }
    })
    assert.include(text.replaceAll(/\s+/g, " "), "Deployment web had only 3 ready")
  })

  it("does not call nodes without a zone the cluster, nor containers of a node that shut down running", () => {
    const spec = {
      duration: "4m",
      cluster: { nodes: [nodes(2), { name: "x", count: 2 }], objects: [web, podWithoutOwner("p", "x-0")] },
      events: [{ at: "1m", do: "shutdown", nodes: { names: ["x-0", "x-1"] } }]
    }
    const why = whyOf(spec)
    assert.match(findLine(why, "FullDisruption"), /^the zone of nodes without a label has no Ready node/)
    assert.match(findLine(why, "Services"), /^\d pods left their Services: /)
    const whole = { ...spec, cluster: { ...spec.cluster, nodes: [{ name: "x", count: 5 }] } }
    const three = [{ at: "1m", do: "shutdown", nodes: { names: ["x-0", "x-1", "x-2"] } }]
    assert.match(findLine(whyOf({ ...whole, events: three }), "PartialDisruption"), /^the cluster \(3 of 5 nodes/)
  })

  it("is compared without the evictions that were planned before it", () => {
    const result = rehearseSpec({
      duration: "13m",
      cluster: { nodes: [nodes(4)], objects: [web] },
      events: [lost("30s", "n-0"), lost("6m", "n-1")]
    })
    const evicted = outageSections([[result]]).flatMap(({ rows }) =>
      rows.filter(({ what }) => what === "pods evicted").flatMap(({ cells }) => cells)
    )
    assert.deepStrictEqual(evicted, ["1", "1"])
    const [first] = result.trace.filter(({ type }) => type === "PodDeletionRequested")
    assert.isAbove(first?.at ?? 0, 360)
    assert.match(
      renderTable(result).replaceAll(/\s+/g, " "),
      /The last pod was evicted at .*, from a node that was lost at 06:[45]/
    )
  })
})

describe("a repeated block of lines", () => {
  const round = (at: number): ReadonlyArray<TraceEntry> => [
    { at, type: "FaultStarted", fault: "partition", nodes: ["n-0"] },
    { at: at + 50, type: "CordonChanged", node: "n-0", unschedulable: true },
    { at: at + 60, type: "FaultEnded", fault: "partition", nodes: ["n-0"] },
    { at: at + 70, type: "CordonChanged", node: "n-0", unschedulable: false }
  ]

  it("is shown once with its number", () => {
    const story = timelineOf([0, 100, 200, 300].flatMap(round), { zoneOf: () => "" })
    const folded = foldRepeats(story)
    assert.deepStrictEqual(
      folded.map(({ from, to, topic }) => [topic, from, to]),
      [
        ["fault", 0, 0],
        ["nodes", 50, 50],
        ["fault", 60, 60],
        ["nodes", 70, 70],
        ["again", 100, 370]
      ]
    )
    assert.strictEqual(folded.at(-1)?.text, "the same 4 lines 3 more times")
  })

  it("is kept if it occurs twice", () => {
    const story = timelineOf([0, 100].flatMap(round), { zoneOf: () => "" })
    assert.deepStrictEqual(foldRepeats(story), story)
  })
})

describe("scenarios side by side", () => {
  it("have one line each", () => {
    const spec = { duration: "8m", cluster: { nodes: [nodes(4)], objects: [podWithoutOwner("p", "n-0")] } }
    const quiet = rehearseSpec(spec)
    const loud = rehearseSpec({ ...spec, events: [{ at: "1m", fault: "crash", nodes: { names: ["n-0"] } }] })
    const [, head, first, second] = renderSideBySide([quiet, loud]).split("\n")
    assert.match(head ?? "", /^ {2}SCENARIO +NODES LOST +PODS NOT READY +EVICTED +FROM/)
    assert.match(first ?? "", /^ {2}\S+ +0 +0 +0 +-/)
    assert.match(second ?? "", /^ {2}\S+ +1 +1 +1 +06:4/)
  })
})

describe("the reasons of kubelet actions", () => {
  const big = { containers: [{ name: "c", image: "x", resources: { requests: { cpu: "9" } } }] }

  it("quote its message for a pod that it rejects", () => {
    const why = whyOf({ duration: "1m", cluster: { nodes: [nodes(1)], objects: [podWithoutOwner("big", "n-0", big)] } })
    assert.include(findLine(why, "rejected by the kubelet"), "big: rejected by the kubelet at 00:0")
    assert.include(findLine(why, "rejected by the kubelet"), "(OutOfcpu): Node didn't have enough resource: cpu")
  })

  it("name the resource under pressure when it evicts a pod", () => {
    const why = whyOf({
      duration: "4m",
      cluster: { nodes: [nodes(2)], objects: [podWithoutOwner("p", "n-0")] },
      events: [{ at: "1m", fault: "memory-pressure", available: "50Mi", nodes: { names: ["n-0"] } }]
    })
    assert.include(findLine(why, "an eviction threshold"), "p evicted by the kubelet at 01:")
    assert.include(findLine(why, "an eviction threshold"), "for lack of memory")
  })
})
