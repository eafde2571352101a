import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { type FilterPlugin, SchedulingCache, type SchedulingEvent } from "../src/index.ts"
import {
  interPodAffinity,
  nodeAffinity,
  nodeDeclaredFeatures,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  podTopologySpread,
  taintToleration,
  volumeRestrictions,
  volumeZone
} from "../src/rules.ts"
import { nodeNamed, podNamed, START, withScheduler } from "./withScheduler.ts"

const hintOf = (plugin: FilterPlugin, pod: Pod) => {
  const cache = new SchedulingCache()
  const info = cache.describe(pod)
  return (event: SchedulingEvent) => plugin.hint?.(info, event, cache)
}

const changeOf = (before: ReturnType<typeof nodeNamed>, node: ReturnType<typeof nodeNamed>): SchedulingEvent => {
  const cache = new SchedulingCache()
  cache.setNode(before)
  const change = cache.setNode(node)
  if (change === undefined) throw new Error("not a change")
  return { _tag: "NodeUpdated", before, node, change }
}

const podOnNode = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, nodeName: "n" } })
const noPodChange = { scaledDown: false, relabelled: false, tolerates: false }

describe("hints", () => {
  // Recorded from a genuine scheduler, for NodeAffinity: a taint has the pod tried again.
  it("accept any change of a node's taints, but not those of filters of taints", () => {
    const open = nodeNamed("n")
    const tainted = nodeNamed("n", { taints: [{ key: "x", effect: "NoSchedule" }] })
    const annotated = { ...open, metadata: { ...open.metadata, annotations: { a: "b" } } }
    const spec = { containers: [], nodeSelector: { no: "where" } }
    const accepted = (plugin: FilterPlugin, before = open, node = tainted) =>
      hintOf(plugin, podNamed("p", "1", spec))(changeOf(before, node))
    const filters = [nodeName, nodePorts, nodeAffinity, nodeResourcesFit, interPodAffinity, nodeDeclaredFeatures]
    for (const plugin of [...filters, volumeRestrictions, volumeZone]) {
      assert.isTrue(accepted(plugin), plugin.name)
      assert.isTrue(accepted(plugin, tainted, nodeNamed("n", { unschedulable: true })), plugin.name)
      assert.isFalse(accepted(plugin, open, annotated), plugin.name)
    }
    for (const plugin of [nodeUnschedulable, taintToleration]) assert.isFalse(accepted(plugin), plugin.name)
  })

  it("of the fit test accept more of a requested resource, on a node that could hold the pod", () => {
    const hint = hintOf(nodeResourcesFit, podNamed("p", "3"))
    assert.deepStrictEqual(
      [
        hint(changeOf(nodeNamed("n", { cpu: "2" }), nodeNamed("n", { cpu: "4" }))),
        hint(changeOf(nodeNamed("n", { cpu: "5" }), nodeNamed("n", { cpu: "4" }))),
        hint(changeOf(nodeNamed("n", { cpu: "1" }), nodeNamed("n", { cpu: "2" }))),
        hint({ _tag: "NodeAdded", node: nodeNamed("n", { cpu: "2" }) })
      ],
      [true, false, false, false]
    )
    const scaled = (before: Pod, pod: Pod): SchedulingEvent => ({
      _tag: "AssignedPodUpdated",
      before: podOnNode(before),
      pod: podOnNode(pod),
      change: { ...noPodChange, scaledDown: true }
    })
    const storage = (amount: string) =>
      podNamed("q", "1", { containers: [{ name: "c", resources: { requests: { "ephemeral-storage": amount } } }] })
    assert.isTrue(hint(scaled(podNamed("q", "2"), podNamed("q", "1"))))
    assert.isFalse(hint(scaled(storage("2Gi"), storage("1Gi"))))
  })

  it("of NodeUnschedulable accept a node that is uncordoned, or a new toleration", () => {
    const hint = hintOf(nodeUnschedulable, podNamed("p"))
    const open = nodeNamed("n")
    const closed = nodeNamed("n", { unschedulable: true })
    const tainted = nodeNamed("n", { taints: [{ key: "x", effect: "NoSchedule" }] })
    assert.deepStrictEqual(
      [hint(changeOf(closed, open)), hint(changeOf(open, closed)), hint(changeOf(open, tainted))],
      [true, false, false]
    )
    const pod = podNamed("p")
    assert.isTrue(
      hint({ _tag: "UnscheduledPodUpdated", before: pod, pod, change: { ...noPodChange, tolerates: true } })
    )
  })

  it("of spreading accept pods that are added, deleted, or start or stop matching", () => {
    const labels = { app: "web" }
    const constraint = {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule" as const,
      labelSelector: { matchLabels: labels }
    }
    const hint = hintOf(podTopologySpread, podNamed("p", "1", { topologySpreadConstraints: [constraint] }, labels))
    const updated = (before: Pod, pod: Pod): SchedulingEvent => ({
      _tag: "AssignedPodUpdated",
      before: podOnNode(before),
      pod: podOnNode(pod),
      change: { ...noPodChange, relabelled: true }
    })
    assert.deepStrictEqual(
      [
        hint({ _tag: "AssignedPodDeleted", pod: podOnNode(podNamed("q", "1", {}, labels)) }),
        hint({ _tag: "AssignedPodDeleted", pod: podNamed("q", "1", {}, labels) }),
        hint({ _tag: "AssignedPodDeleted", pod: podOnNode(podNamed("q")) }),
        hint(updated(podNamed("q", "1", {}, labels), podNamed("q"))),
        hint(updated(podNamed("q", "1", {}, labels), podNamed("q", "1", {}, { ...labels, more: "x" })))
      ],
      [true, false, false, true, false]
    )
    const unlabelled = { ...nodeNamed("n"), metadata: { name: "n" } }
    assert.deepStrictEqual(
      [
        hint(changeOf(unlabelled, nodeNamed("n"))),
        hint(changeOf(nodeNamed("n"), nodeNamed("n", { zone: "a" }))),
        hint({ _tag: "NodeAdded", node: unlabelled })
      ],
      [true, false, false]
    )
  })

  it("of affinity reject events of pods without a node", () => {
    const labels = { app: "web" }
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } }
    const hint = hintOf(
      interPodAffinity,
      podNamed("p", "1", { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
    )
    const other = podNamed("q", "1", {}, labels)
    assert.deepStrictEqual(
      [hint({ _tag: "AssignedPodDeleted", pod: podOnNode(other) }), hint({ _tag: "AssignedPodDeleted", pod: other })],
      [true, false]
    )
  })
})

describe("a waiting pod", () => {
  const tainted = nodeNamed("n", { taints: [{ key: "x", effect: "NoSchedule" }] })

  it("is retried for a new toleration, not for an annotation", () =>
    withScheduler(({ addNode, cluster, pod, scheduler }) =>
      Effect.gen(function* () {
        yield* addNode(tainted)
        yield* cluster.create("Pod", podNamed("p"))
        yield* Effect.sleep("20 seconds")
        const waiting = yield* pod("p")
        const attempts = () => scheduler.queue.find(waiting.metadata.uid ?? "")?.attempts
        yield* cluster.update("Pod", { ...waiting, metadata: { ...waiting.metadata, annotations: { note: "1" } } })
        yield* Effect.sleep("20 seconds")
        assert.strictEqual(attempts(), 1)
        const noted = yield* pod("p")
        const tolerations = [...(noted.spec.tolerations ?? []), { key: "x", operator: "Exists" as const }]
        yield* cluster.update("Pod", { ...noted, spec: { ...noted.spec, tolerations } })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "n")
      })
    ))

  it("is retried for new labels that no running pod's anti-affinity matches", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("n"))
        const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } }
        const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
        yield* cluster.create("Pod", podNamed("alone", "1", { affinity }))
        yield* Effect.sleep("1 second")
        yield* cluster.create("Pod", podNamed("p", "1", {}, { app: "web" }))
        yield* Effect.sleep("20 seconds")
        const waiting = yield* pod("p")
        assert.isUndefined(waiting.spec.nodeName)
        yield* cluster.update("Pod", { ...waiting, metadata: { ...waiting.metadata, labels: { app: "db" } } })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "n")
      })
    ))

  it("can use the resources of a nomination once the nominated pod is deleted", () =>
    withScheduler(({ addNode, cluster, pod, timers }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("only", { cpu: "2" }))
        for (const [name, value] of Object.entries({ low: 1, high: 1000 })) {
          yield* cluster.create("PriorityClass", {
            apiVersion: "scheduling.k8s.io/v1",
            kind: "PriorityClass",
            metadata: { name },
            value
          })
        }
        // It takes its time to end, and has a finalizer, so that its room is not free yet.
        const { metadata, ...victim } = podNamed("victim", "1")
        yield* cluster.create("Pod", { ...victim, metadata: { ...metadata, finalizers: ["example.com/hold"] } })
        yield* Effect.sleep("1 second")
        yield* cluster.create("Pod", podNamed("high", "2", { priorityClassName: "high" }))
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("high")).status?.nominatedNodeName, "only")
        yield* cluster.create("Pod", podNamed("low", "1", { priorityClassName: "low" }))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("low")).spec.nodeName)
        yield* cluster.delete("Pod", { namespace: "default", name: "high" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("low")).spec.nodeName, "only")
        assert.isBelow(timers.now() - START, 60_000)
      })
    ))
})
