import { assert, describe, it } from "@effect/vitest"
import type { DaemonSet, Node, Pod } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { requireNode, targetNodeOf } from "../src/daemonset/placement.ts"
import { template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const agentKey = { namespace: "default", name: "agent" }

const daemonSet = (spec: Partial<DaemonSet["spec"]["template"]["spec"]> = {}): DaemonSet => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: agentKey,
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { ...template(), spec: { ...template().spec, ...spec } }
  }
})

const node = (name: string, labels: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels }
})

const removeTaints = ({ cluster }: WorkloadsSetup, name: string) =>
  cluster.patch("Node", { name }, "merge", { spec: { taints: null } })

const nodesOf = (pods: ReadonlyArray<Pod>) => pods.map(targetNodeOf).sort()

const startOnThreeNodes = (setup: WorkloadsSetup) =>
  Effect.gen(function* () {
    for (const name of ["n1", "n2", "n3"]) {
      yield* setup.cluster.create("Node", node(name, name === "n3" ? { disk: "ssd" } : {}))
      yield* removeTaints(setup, name)
    }
  })

describe("DaemonSets", () => {
  it("requires of a pod its node alone, in place of the nodes that the template requires", () => {
    const nodeSelectorTerms = [
      { matchExpressions: [{ key: "a", operator: "Exists" as const }] },
      { matchExpressions: [] }
    ]
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
    const spec = { containers: [], affinity: { podAntiAffinity: {}, nodeAffinity: required } }
    const { affinity } = requireNode(spec, "n1")
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["n1"] }]
    assert.deepStrictEqual(affinity?.nodeAffinity, {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] }
    })
    assert.property(affinity, "podAntiAffinity")
  })

  it("runs one pod on each node, pinned by its name and with the tolerations of daemons", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startOnThreeNodes(setup)
        yield* setup.cluster.create("DaemonSet", daemonSet())
        yield* Effect.sleep("1 second")
        const pods = yield* setup.pods
        assert.deepStrictEqual(nodesOf(pods), ["n1", "n2", "n3"])
        const keys = pods[0]?.spec.tolerations?.map(({ key }) => key) ?? []
        assert.include(keys, "node.kubernetes.io/unschedulable")
        for (const pod of pods) yield* setup.makeReady(pod)
        yield* Effect.sleep("1 second")
        const { status } = yield* setup.cluster.get("DaemonSet", agentKey)
        assert.deepInclude(status, { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 3 })
        assert.deepInclude(status, { updatedNumberScheduled: 3, numberAvailable: 3, numberMisscheduled: 0 })
      })
    ))

  it("follows nodes that come and go, and their labels", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startOnThreeNodes(setup)
        yield* setup.cluster.create("DaemonSet", daemonSet({ nodeSelector: { disk: "ssd" } }))
        yield* Effect.sleep("1 second")
        assert.deepStrictEqual(nodesOf(yield* setup.activePods), ["n3"])
        yield* setup.cluster.patch("Node", { name: "n1" }, "merge", { metadata: { labels: { disk: "ssd" } } })
        yield* setup.cluster.patch("Node", { name: "n3" }, "merge", { metadata: { labels: { disk: null } } })
        yield* Effect.sleep("1 second")
        assert.deepStrictEqual(nodesOf(yield* setup.activePods), ["n1"])
      })
    ))

  it("keeps what runs on a node that takes nothing new, and leaves a node that drives pods away", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startOnThreeNodes(setup)
        yield* setup.cluster.create("DaemonSet", daemonSet())
        yield* Effect.sleep("1 second")
        const taint = (name: string, effect: string) =>
          setup.cluster.patch("Node", { name }, "merge", { spec: { taints: [{ key: "k", effect }] } })
        yield* taint("n1", "NoSchedule")
        yield* taint("n2", "NoExecute")
        yield* Effect.sleep("1 second")
        assert.deepStrictEqual(nodesOf(yield* setup.activePods), ["n1", "n3"])
      })
    ))

  it("creates no second pod while the first terminates, and a new one once it is deleted", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startOnThreeNodes(setup)
        yield* setup.cluster.create("DaemonSet", daemonSet({ nodeSelector: { disk: "ssd" } }))
        yield* Effect.sleep("1 second")
        const [pod] = yield* setup.pods
        assert.isDefined(pod)
        if (pod === undefined) return
        yield* setup.cluster.patch("Pod", { ...agentKey, name: pod.metadata.name ?? "" }, "merge", {
          metadata: { finalizers: ["example.com/hold"] }
        })
        yield* setup.remove(pod)
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* setup.pods).length, 1)
        yield* setup.cluster.patch("Pod", { ...agentKey, name: pod.metadata.name ?? "" }, "merge", {
          metadata: { finalizers: null }
        })
        yield* Effect.sleep("1 second")
        const [next, ...others] = yield* setup.pods
        assert.strictEqual(others.length, 0)
        assert.notStrictEqual(next?.metadata.uid, pod.metadata.uid)
      })
    ))

  it("replaces pods of an older template one after the other", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* startOnThreeNodes(setup)
        yield* setup.cluster.create("DaemonSet", daemonSet())
        yield* Effect.sleep("1 second")
        for (const pod of yield* setup.pods) yield* setup.makeReady(pod)
        yield* setup.cluster.patch("DaemonSet", agentKey, "merge", { spec: { template: template("img:2") } })
        const images: Array<number> = []
        for (let second = 0; second < 12; second++) {
          yield* Effect.sleep("1 second")
          const pods = yield* setup.activePods
          images.push(pods.filter(({ spec }) => spec.containers[0]?.image === "img:2").length)
          for (const pod of pods) if (pod.status?.phase !== "Running") yield* setup.makeReady(pod)
        }
        assert.strictEqual(images.at(-1), 3)
        assert.include(images, 1, "one at a time")
        assert.include(images, 2, "one at a time")
      })
    ))
})
