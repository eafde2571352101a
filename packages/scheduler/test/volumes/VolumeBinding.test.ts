import { assert, describe, it } from "@effect/vitest"
import { getPodCondition, type PersistentVolume, type PersistentVolumeClaim } from "@rollcall/api"
import { type ClusterError, type ClusterShape, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { defaultProfile, volumeBinding } from "../../src/index.ts"
import { volumeBindingWith } from "../../src/plugins/VolumeBinding.ts"
import { podWithClaims } from "../volumes.ts"
import { nodeNamed, podNamed, type SchedulerSetup, START, withScheduler } from "../withScheduler.ts"
import { claimNamed, classNamed, localClass, volumeOf } from "./claims.ts"

const selectedNode = "volume.kubernetes.io/selected-node"
const boundByController = "pv.kubernetes.io/bound-by-controller"
const bindCompleted = "pv.kubernetes.io/bind-completed"
const key = (name: string) => ({ namespace: "default", name })

/** A volume that somebody made, seen by the binder. */
const addVolume = (cluster: ClusterShape, volume: PersistentVolume) =>
  cluster
    .create("PersistentVolume", volume)
    .pipe(
      Effect.flatMap((made) => cluster.updateStatus("PersistentVolume", { ...made, status: { phase: "Available" } }))
    )

/** What the binder does once a volume is the claim's. */
const bindTo = (cluster: ClusterShape, claimName: string, volumeName: string) =>
  Effect.gen(function* () {
    const claim = yield* cluster.get("PersistentVolumeClaim", key(claimName))
    const volume = yield* cluster.get("PersistentVolume", { name: volumeName })
    const { name = "", namespace = "", uid = "" } = claim.metadata
    const claimRef = volume.spec?.claimRef ?? { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid }
    yield* cluster.update("PersistentVolume", { ...volume, spec: { ...volume.spec, claimRef } })
    const annotations = { ...claim.metadata.annotations, [bindCompleted]: "yes" }
    const bound = yield* cluster.update("PersistentVolumeClaim", {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName }
    })
    yield* cluster.updateStatus("PersistentVolumeClaim", { ...bound, status: { phase: "Bound" } })
  })

const annotate = (cluster: ClusterShape, name: string, annotations: Record<string, string | null>) =>
  cluster.patch("PersistentVolumeClaim", key(name), "merge", { metadata: { annotations } })

const scheduledMessages = (
  { pod }: SchedulerSetup,
  name: string
): Effect.Effect<ReadonlyArray<string | undefined>, ClusterError> =>
  Effect.map(pod(name), ({ status }) => {
    const condition = getPodCondition(status, "PodScheduled")
    return [condition?.reason, condition?.message]
  })

/** Two nodes in two zones, a class for volumes made by hand and one for volumes made on demand. */
const addNodesAndClaims = ({ addNode, cluster }: SchedulerSetup, ...claims: ReadonlyArray<PersistentVolumeClaim>) =>
  Effect.gen(function* () {
    for (const zone of ["a", "b"]) yield* addNode(nodeNamed(zone, { zone }))
    for (const each of [localClass, classNamed("disks")]) yield* cluster.create("StorageClass", each)
    for (const claim of claims) yield* cluster.create("PersistentVolumeClaim", claim)
    yield* Effect.sleep("1 second")
  })

const prefix = 'running PreBind plugin "VolumeBinding": '
const disk = (name: string) => claimNamed(name, { storageClassName: "disks" })

describe("VolumeBinding at work", () => {
  it("assumes an existing volume for a claim, and binds the pod once the binder has bound the claim", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, pod, scheduler, timers } = setup
        yield* addNodesAndClaims(setup, claimNamed("data"))
        yield* addVolume(cluster, volumeOf("pv-b", { zone: "b" }))
        yield* cluster.create("Pod", podWithClaims("web", "data"))
        yield* Effect.sleep("500 millis")
        const volume = yield* cluster.get("PersistentVolume", { name: "pv-b" })
        const claim = yield* cluster.get("PersistentVolumeClaim", key("data"))
        assert.deepInclude(volume.spec?.claimRef, {
          kind: "PersistentVolumeClaim",
          name: "data",
          uid: claim.metadata.uid ?? ""
        })
        assert.strictEqual(volume.metadata.annotations?.[boundByController], "yes")
        assert.strictEqual((yield* pod("web")).status?.nominatedNodeName, "b")
        yield* Effect.sleep("5 seconds")
        assert.isUndefined((yield* pod("web")).spec.nodeName)
        yield* bindTo(cluster, "data", "pv-b")
        // It looks once a second.
        const asked = timers.now()
        while ((yield* pod("web")).spec.nodeName === undefined) yield* Effect.sleep("100 millis")
        assert.isAtMost(timers.now() - asked, 1000)
        const bound = yield* pod("web")
        assert.deepStrictEqual([bound.spec.nodeName, bound.status?.nominatedNodeName], ["b", undefined])
        assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
      })
    ))

  it("requests a new volume on the pod's node", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, pod } = setup
        yield* addNodesAndClaims(setup, disk("data"))
        yield* cluster.create("Pod", {
          ...podWithClaims("web", "data"),
          spec: { ...podWithClaims("web", "data").spec, nodeSelector: { "topology.kubernetes.io/zone": "b" } }
        })
        yield* Effect.sleep("500 millis")
        const claim = yield* cluster.get("PersistentVolumeClaim", key("data"))
        assert.strictEqual(claim.metadata.annotations?.[selectedNode], "b")
        yield* addVolume(cluster, volumeOf("made", { storageClassName: "disks", zone: "b" }))
        yield* bindTo(cluster, "data", "made")
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("web")).spec.nodeName, "b")
      })
    ))

  it("waits ten minutes for the binder, or the configured time, then releases everything and retries", () => {
    const after = (seconds: number, config = {}) =>
      withScheduler(
        (setup) =>
          Effect.gen(function* () {
            const { cluster, scheduler } = setup
            yield* addNodesAndClaims(setup, disk("data"))
            yield* cluster.create("Pod", podWithClaims("web", "data"))
            yield* Effect.sleep(seconds * 1000 - 100)
            assert.deepStrictEqual(yield* scheduledMessages(setup, "web"), [undefined, undefined])
            assert.strictEqual(scheduler.cache.volumes.assumed.size, 1)
            yield* Effect.sleep("200 millis")
            assert.deepStrictEqual(yield* scheduledMessages(setup, "web"), [
              "SchedulerError",
              `${prefix}binding volumes: context deadline exceeded`
            ])
            assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
            yield* Effect.sleep("5 seconds")
            assert.strictEqual(scheduler.cache.volumes.assumed.size, 1)
          }),
        config
      )
    after(600)
    const plugin = volumeBindingWith({ bindTimeoutSeconds: 7 })
    const filters = defaultProfile.filters.map((filter) => (filter === volumeBinding ? plugin : filter))
    after(7, { profile: { filters, scores: defaultProfile.scores } })
  })

  it("looks for another node when the provisioner gives up on the one it chose", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, events, pod } = setup
        yield* addNodesAndClaims(setup, disk("data"))
        yield* cluster.create("Pod", podWithClaims("web", "data"))
        yield* Effect.sleep("500 millis")
        const first = (yield* cluster.get("PersistentVolumeClaim", key("data"))).metadata.annotations?.[selectedNode]
        yield* annotate(cluster, "data", { [selectedNode]: null, note: "no room" })
        yield* Effect.sleep("700 millis")
        const message = `${prefix}binding volumes: provisioning failed for PVC "data"`
        assert.deepStrictEqual(yield* scheduledMessages(setup, "web"), ["SchedulerError", message])
        assert.isTrue((yield* events).some((event) => event.reason === "FailedScheduling" && event.message === message))
        const node = yield* cluster.get("Node", { name: first ?? "" })
        yield* cluster.update("Node", { ...node, spec: { ...node.spec, unschedulable: true } })
        yield* Effect.sleep("3 seconds")
        const second = (yield* cluster.get("PersistentVolumeClaim", key("data"))).metadata.annotations?.[selectedNode]
        assert.deepStrictEqual([first, second].toSorted(), ["a", "b"])
        assert.isUndefined((yield* pod("web")).spec.nodeName)
      })
    ))

  it("reports changes that prevent the binding", () => {
    const bindWhile = (meanwhile: (setup: SchedulerSetup) => Effect.Effect<unknown, ClusterError>, expected: RegExp) =>
      withScheduler((setup) =>
        Effect.gen(function* () {
          const { cluster, scheduler } = setup
          yield* addNodesAndClaims(setup, claimNamed("data"))
          yield* addVolume(cluster, volumeOf("pv", { zone: "b" }))
          yield* cluster.create("Pod", podWithClaims("web", "data"))
          yield* Effect.sleep("500 millis")
          yield* meanwhile(setup)
          yield* Effect.sleep("700 millis")
          assert.match((yield* scheduledMessages(setup, "web"))[1] ?? "", expected)
          assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
        })
      )
    const node = /PreBind plugin "VolumeBinding": binding volumes: failed to get node "b": node "b" not found$/
    bindWhile(({ cluster }) => cluster.delete("Node", { name: "b" }), node)
    const claim = /binding volumes: failed to check binding: persistentvolumeclaims "default\/data" not found$/
    bindWhile(({ cluster }) => cluster.delete("PersistentVolumeClaim", key("data")), claim)
    const volume = /binding volumes: failed to check binding: persistentvolumes "pv" not found$/
    bindWhile(({ cluster }) => cluster.delete("PersistentVolume", { name: "pv" }), volume)
    const reset = /binding volumes: ClaimRef got reset for pv "pv"$/
    bindWhile(
      ({ cluster }) => cluster.patch("PersistentVolume", { name: "pv" }, "merge", { spec: { claimRef: null } }),
      reset
    )
    const moved = /binding volumes: pv "pv" node affinity doesn't match node "b": no matching NodeSelectorTerms$/
    bindWhile(
      ({ cluster }) =>
        cluster.patch("Node", { name: "b" }, "merge", { metadata: { labels: { "topology.kubernetes.io/zone": "c" } } }),
      moved
    )
  })

  it("assumes a volume for one claim: the second claim waits until there is another volume", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, pod, scheduler } = setup
        yield* addNodesAndClaims(setup, claimNamed("one"), claimNamed("two"))
        yield* addVolume(cluster, volumeOf("only"))
        yield* cluster.create("Pod", podWithClaims("first", "one"))
        yield* cluster.create("Pod", podWithClaims("second", "two"))
        yield* Effect.sleep("500 millis")
        const text = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
        assert.isTrue((yield* scheduledMessages(setup, "second"))[1]?.startsWith(text))
        yield* bindTo(cluster, "one", "only")
        yield* Effect.sleep("1 second")
        assert.isDefined((yield* pod("first")).spec.nodeName)
        yield* addVolume(cluster, volumeOf("another"))
        yield* Effect.sleep("12 seconds")
        assert.strictEqual((yield* cluster.get("PersistentVolume", { name: "another" })).spec?.claimRef?.name, "two")
        // A pod that is deleted meanwhile drops its assumed volumes.
        assert.strictEqual(scheduler.cache.volumes.assumed.size, 1)
        yield* cluster.delete("Pod", key("second"), { gracePeriodSeconds: 0 })
        yield* Effect.sleep("1 second")
        assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
      })
    ))

  it("overwrites no changes of other clients", () => {
    let isBehind = true
    withScheduler(
      (setup) =>
        Effect.gen(function* () {
          const { cluster, scheduler } = setup
          yield* addNodesAndClaims(setup, claimNamed("data"))
          yield* addVolume(cluster, volumeOf("pv"))
          yield* cluster.create("Pod", podWithClaims("web", "data"))
          yield* Effect.sleep("500 millis")
          assert.match(
            (yield* scheduledMessages(setup, "web"))[1] ?? "",
            /^running PreBind plugin "VolumeBinding": Operation cannot be fulfilled on persistentvolumes "pv": the object has been modified/
          )
          assert.isUndefined((yield* cluster.get("PersistentVolume", { name: "pv" })).spec?.claimRef)
          assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
          yield* Effect.sleep("5 seconds")
          assert.strictEqual((yield* cluster.get("PersistentVolume", { name: "pv" })).spec?.claimRef?.name, "data")
        }),
      {},
      (connection) => ({
        ...connection,
        send: cancellable((request, reply) => {
          if (request.verb !== "update" || request.kind !== "PersistentVolume" || !isBehind) {
            connection.send(request, reply)
            return
          }
          isBehind = false
          const body = { metadata: { labels: { changed: "meanwhile" } } }
          connection.send(
            { verb: "patch", kind: "PersistentVolume", name: request.name, patchType: "merge", body },
            () => connection.send(request, reply)
          )
        })
      })
    )
  })

  it("leaves claims whose class does not wait to the binder, and continues when they are bound", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, pod, timers } = setup
        yield* addNodesAndClaims(setup)
        yield* cluster.create("StorageClass", classNamed("at-once", { volumeBindingMode: "Immediate" }))
        yield* cluster.create("PersistentVolumeClaim", claimNamed("data", { storageClassName: "at-once" }))
        yield* cluster.create("Pod", podWithClaims("web", "data"))
        yield* Effect.sleep("5 seconds")
        const text = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."
        const [reason, message] = yield* scheduledMessages(setup, "web")
        assert.strictEqual(reason, "Unschedulable")
        assert.isTrue(message?.startsWith(text), message)
        yield* addVolume(cluster, volumeOf("pv", { zone: "b", storageClassName: "at-once" }))
        yield* bindTo(cluster, "data", "pv")
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* pod("web")).spec.nodeName, "b")
        assert.isBelow(timers.now() - START, 10_000)
      })
    ))

  it("assumes nothing for a bound pod, also without PreBind plugins", () =>
    withScheduler(
      (setup) =>
        Effect.gen(function* () {
          const { cluster, pod, scheduler } = setup
          yield* addNodesAndClaims(setup, disk("data"))
          yield* cluster.create("Pod", podWithClaims("web", "data"))
          yield* Effect.sleep("1 second")
          assert.isDefined((yield* pod("web")).spec.nodeName)
          assert.isTrue(scheduler.cache.volumes.assumed.isEmpty)
        }),
      { profile: { ...defaultProfile, preBind: [] } }
    ))

  it("does not delay pods without claims", () =>
    withScheduler((setup) =>
      Effect.gen(function* () {
        const { cluster, pod, timers } = setup
        yield* addNodesAndClaims(setup, claimNamed("data"))
        const asked = timers.now()
        yield* cluster.create("Pod", podNamed("web"))
        yield* Effect.sleep("1 millis")
        assert.isDefined((yield* pod("web")).spec.nodeName)
        assert.isAtMost(timers.now() - asked, 1)
      })
    ))
})
