import { assert, describe, it } from "@effect/vitest"
import type { DaemonSet, Pod } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { FailedPodBackoff } from "../src/daemonset/FailedPodBackoff.ts"
import { targetNodeOf } from "../src/daemonset/placement.ts"
import { template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const agentKey = { namespace: "default", name: "agent" }
const nodes = ["n1", "n2", "n3", "n4"]

const start = (setup: WorkloadsSetup, spec: Partial<DaemonSet["spec"]> = {}) =>
  Effect.gen(function* () {
    for (const name of nodes) {
      yield* setup.cluster.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name } })
      yield* setup.cluster.patch("Node", { name }, "merge", { spec: { taints: null } })
    }
    yield* setup.cluster.create("DaemonSet", {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: agentKey,
      spec: { selector: { matchLabels: { app: "web" } }, template: template(), ...spec }
    })
    yield* Effect.sleep("1 second")
    for (const pod of yield* setup.pods) yield* setup.makeReady(pod)
    yield* Effect.sleep("1 second")
  })

const isNew = ({ spec }: Pod) => spec.containers[0]?.image === "img:2"
const setNewTemplate = ({ cluster }: WorkloadsSetup) =>
  cluster.patch("DaemonSet", agentKey, "merge", { spec: { template: template("img:2") } })
const statusOf = ({ cluster }: WorkloadsSetup) => Effect.map(cluster.get("DaemonSet", agentKey), ({ status }) => status)
const failPod = ({ cluster }: WorkloadsSetup, pod: Pod) =>
  cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, phase: "Failed" } })

/** The pods of the first node, made anew as often as they fail, with the seconds at which that was. */
const failPodsFor = (setup: WorkloadsSetup, seconds: number) =>
  Effect.gen(function* () {
    const begin = setup.timers.now()
    const made: Array<number> = []
    const seen = new Set<string>()
    while (setup.timers.now() < begin + seconds * 1000) {
      for (const pod of yield* setup.activePods) {
        if (targetNodeOf(pod) !== "n1" || seen.has(pod.metadata.uid ?? "")) continue
        seen.add(pod.metadata.uid ?? "")
        made.push(Math.round((setup.timers.now() - begin) / 1000))
        yield* failPod(setup, pod)
      }
      yield* Effect.sleep("100 millis")
    }
    return made
  })

describe("updates of DaemonSets", () => {
  it("surges: a new pod beside the old one, which is deleted when the new one is available", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, {
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } }
        })
        yield* setNewTemplate(setup)
        yield* Effect.sleep("2 seconds")
        const during = yield* setup.activePods
        assert.strictEqual(during.filter(isNew).length, 2, "half of the nodes at once")
        assert.strictEqual(during.filter((pod) => !isNew(pod)).length, 4, "none leaves before another is there")
        const [first] = during.filter(isNew)
        if (first === undefined) return
        yield* setup.makeReady(first)
        yield* Effect.sleep("2 seconds")
        const next = yield* setup.activePods
        const onFirst = next.filter((pod) => targetNodeOf(pod) === targetNodeOf(first))
        assert.deepStrictEqual(
          onFirst.map(({ metadata }) => metadata.name),
          [first.metadata.name]
        )
        assert.strictEqual(next.filter(isNew).length, 3, "its surge is free for another node")
        for (let round = 0; round < 4; round++) {
          for (const pod of yield* setup.activePods) {
            if (isNew(pod) && pod.status?.phase !== "Running") yield* setup.makeReady(pod)
          }
          yield* Effect.sleep("2 seconds")
        }
        const after = yield* setup.activePods
        assert.deepStrictEqual(after.map(isNew), [true, true, true, true])
        assert.deepInclude(yield* statusOf(setup), { updatedNumberScheduled: 4, numberAvailable: 4 })
      })
    ))

  it("deletes the old pod when the new one has been ready for minReadySeconds, without another event", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, {
          minReadySeconds: 10,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
        })
        yield* Effect.sleep("1 minute")
        yield* setNewTemplate(setup)
        yield* Effect.sleep("2 seconds")
        const [fresh] = (yield* setup.activePods).filter(isNew)
        if (fresh === undefined) return assert.fail("none surges")
        yield* setup.makeReady(fresh)
        const onItsNode = Effect.map(setup.activePods, (pods) =>
          pods.filter((pod) => targetNodeOf(pod) === targetNodeOf(fresh)).map(isNew)
        )
        yield* Effect.sleep("9 seconds")
        assert.sameMembers(yield* onItsNode, [true, false])
        yield* Effect.sleep("4 seconds")
        assert.deepStrictEqual(yield* onItsNode, [true])
      })
    ))

  it("creates a surging pod at once beside an unavailable one, however many surge already", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, {
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
        })
        for (const pod of (yield* setup.pods).slice(0, 2)) {
          const conditions = [{ type: "Ready", status: "False" as const }]
          yield* setup.cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, conditions } })
        }
        yield* setNewTemplate(setup)
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* setup.activePods).filter(isNew).length, 3)
      })
    ))

  it("takes as many away at once as may be unavailable, and waits for minReadySeconds", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, {
          minReadySeconds: 30,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "50%" } }
        })
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* statusOf(setup))?.numberAvailable, 4)
        yield* setNewTemplate(setup)
        yield* Effect.sleep("2 seconds")
        const fresh = (yield* setup.activePods).filter(isNew)
        assert.strictEqual(fresh.length, 2)
        for (const pod of fresh) yield* setup.makeReady(pod)
        yield* Effect.sleep("20 seconds")
        assert.strictEqual((yield* setup.activePods).filter(isNew).length, 2)
        yield* Effect.sleep("20 seconds")
        assert.strictEqual((yield* setup.activePods).filter(isNew).length, 4)
      })
    ))

  it("with OnDelete replaces only deleted pods", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, { updateStrategy: { type: "OnDelete" } })
        yield* setNewTemplate(setup)
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* setup.pods).filter(isNew).length, 0)
        const [pod] = yield* setup.pods
        if (pod !== undefined) yield* setup.remove(pod)
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* setup.pods).filter(isNew).length, 1)
        assert.strictEqual((yield* statusOf(setup))?.updatedNumberScheduled, 1)
      })
    ))
})

describe("daemon pods that end", () => {
  it("come back at once the first time, then after 1 s, 2 s, 4 s, …", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup)
        assert.deepStrictEqual(yield* failPodsFor(setup, 40), [0, 0, 1, 3, 7, 15, 31])
        const events = yield* setup.events
        assert.include(
          events.find(({ reason }) => reason === "FailedDaemonPod")?.message,
          "on node n1, will try to kill it"
        )
      })
    ))

  it("wait 15 minutes at most, and are forgiven after 30 without", () => {
    const backoff = new FailedPodBackoff()
    let now = 0
    const delays: Array<number> = []
    for (let failure = 0; failure < 14; failure++) {
      backoff.recordDeletion("key", now)
      const delay = backoff.delayOf("key", now) ?? 0
      delays.push(delay / 1000)
      now += delay
    }
    assert.deepStrictEqual(delays.slice(-5), [512, 900, 900, 900, 900])
    assert.strictEqual(delays[0], 1)
    now += 1_800_001
    assert.isUndefined(backoff.delayOf("key", now))
    backoff.recordDeletion("key", now)
    assert.strictEqual(backoff.delayOf("key", now), 1000)
  })

  it("adopts a pod that it selects, and releases one that it no longer selects", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup)
        const [pod] = yield* setup.pods
        if (pod === undefined) return assert.fail("no pod")
        const key = { namespace: "default", name: pod.metadata.name ?? "" }
        yield* setup.cluster.patch("Pod", key, "merge", { metadata: { labels: { app: "other" } } })
        yield* Effect.sleep("2 seconds")
        assert.isEmpty((yield* setup.cluster.get("Pod", key)).metadata.ownerReferences ?? [])
        assert.strictEqual((yield* setup.pods).length, 5)
        yield* setup.cluster.patch("Pod", key, "merge", { metadata: { labels: { app: "web" } } })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* setup.activePods).length, 4, "one too many on its node, and the younger goes")
      })
    ))

  it("delete a replaced pod once, also if that is seen before it is answered", () => {
    const deleted: Array<string> = []
    const slowToAnswer = (connection: Connection, timers: TimersShape): Connection => ({
      ...connection,
      send: (request, reply) => {
        if (request.verb !== "delete" || request.kind !== "Pod") return connection.send(request, reply)
        deleted.push(request.name)
        return connection.send(request, (result) => void timers.after(50, () => reply(result)))
      }
    })
    withControllers((setup) => {
      const bindNew = Effect.gen(function* () {
        for (const pod of yield* setup.activePods) {
          const key = { namespace: "default", name: pod.metadata.name ?? "" }
          if (!pod.spec.nodeName) yield* setup.cluster.bind(key, targetNodeOf(pod) ?? "")
          yield* setup.makeReady(yield* setup.cluster.get("Pod", key))
        }
        yield* Effect.sleep("2 seconds")
      })
      return Effect.gen(function* () {
        yield* start(setup, { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
        yield* bindNew
        yield* setNewTemplate(setup)
        for (let turn = 0; turn < 5; turn++) yield* Effect.andThen(Effect.sleep("1 second"), bindNew)
        assert.strictEqual(new Set(deleted).size, 4)
        assert.strictEqual(deleted.length, 4)
      })
    }, slowToAnswer)
  })

  it("count the revisions of their pods as history, of which the oldest without pods go", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup, { updateStrategy: { type: "OnDelete" }, revisionHistoryLimit: 2 })
        const images = Effect.map(setup.cluster.list("ControllerRevision"), ({ items }) =>
          items.map(({ data }) => (data as { spec: { template: Pod } }).spec.template.spec.containers[0]?.image).sort()
        )
        for (const image of ["img:2", "img:3", "img:4"]) {
          yield* setup.cluster.patch("DaemonSet", agentKey, "merge", { spec: { template: template(image) } })
          yield* Effect.sleep("1 second")
        }
        assert.deepStrictEqual(yield* images, ["img:1", "img:3", "img:4"], "img:1 is that of the pods")
      })
    ))

  it("return to a node whose object was deleted and created again", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* start(setup)
        yield* setup.cluster.delete("Node", { name: "n1" })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* statusOf(setup))?.desiredNumberScheduled, 4, "a deletion alone is no reason to look")
        yield* setup.cluster.patch("DaemonSet", agentKey, "merge", { metadata: { annotations: { look: "now" } } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* statusOf(setup))?.desiredNumberScheduled, 3)
        const stranded = (yield* setup.pods).find((pod) => targetNodeOf(pod) === "n1")
        assert.isUndefined(stranded, "it was never placed: nobody else would remove it")
        yield* setup.cluster.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* setup.activePods).length, 3, "new nodes are not ready yet")
        yield* setup.cluster.patch("Node", { name: "n1" }, "merge", { spec: { taints: null } })
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* setup.activePods).length, 4)
      })
    ))
})
