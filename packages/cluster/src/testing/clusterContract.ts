import { assert, describe, it } from "@effect/vitest"
import type { Lease, Node, ObjectOf } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Cluster, type ClusterShape } from "../Cluster.ts"
import { isAlreadyExists, isConflict, isGone, isNotFound } from "../ClusterError.ts"
import { watchLog } from "./WatchLog.ts"

export interface ClusterContractOptions {
  /** Makes the server compact its watch history; without it the test of Gone is skipped. */
  readonly forgetHistory?: Effect.Effect<void, unknown, Cluster>
  /** Closes the client for good; without it the test of closing is skipped. */
  readonly close?: Effect.Effect<void, unknown, Cluster>
}

const SPACE = "contract"
/** More than a small burst, so that some of them wait in a client with a rate limit. */
const REQUESTS = 100

const node = (name: string, labels: Readonly<Record<string, string>> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels }
})

const lease = (name: string, holderIdentity = "a"): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: SPACE },
  spec: { holderIdentity }
})

const names = (list: { readonly items: ReadonlyArray<{ readonly metadata: { readonly name?: string } }> }) =>
  list.items.map((item) => item.metadata.name)

const label = (key: string, value: string | null) => ({ metadata: { labels: { [key]: value } } })

/**
 * Registers the tests that every layer of the Cluster port must pass, in a vitest file. The layer is built for each
 * test, starts without nodes and without objects in namespace `contract`, and its time must advance by itself.
 */
export const clusterContract = (
  name: string,
  layer: Layer.Layer<Cluster, unknown>,
  { close, forgetHistory }: ClusterContractOptions = {}
): void => {
  const withCluster = (
    title: string,
    body: (cluster: ClusterShape) => Effect.Effect<void, unknown, Scope.Scope | Cluster>
  ) =>
    it.live(title, () =>
      Effect.gen(function* () {
        const cluster = yield* Cluster
        const space: ObjectOf<"Namespace"> = { apiVersion: "v1", kind: "Namespace", metadata: { name: SPACE } }
        yield* cluster.create("Namespace", space)
        yield* body(cluster)
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer)))
    )

  describe(`${name}: writes`, () => {
    withCluster("gives a created object its identity and revision, and refuses a second create", (cluster) =>
      Effect.gen(function* () {
        const created = yield* cluster.create("Node", node("n1", { a: "1" }))
        assert.notStrictEqual(created.metadata.uid ?? "", "")
        assert.notStrictEqual(created.metadata.resourceVersion ?? "", "")
        assert.match(created.metadata.creationTimestamp ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        assert.deepStrictEqual(yield* cluster.get("Node", { name: "n1" }), created)
        assert.isTrue(isAlreadyExists(yield* Effect.flip(cluster.create("Node", node("n1")))))
      })
    )

    withCluster("returns NotFound for a missing object", (cluster) =>
      Effect.gen(function* () {
        const key = { namespace: SPACE, name: "nobody" }
        assert.isTrue(isNotFound(yield* Effect.flip(cluster.get("Lease", key))))
        assert.isTrue(isNotFound(yield* Effect.flip(cluster.delete("Lease", key))))
        assert.isTrue(isNotFound(yield* Effect.flip(cluster.patch("Lease", key, "merge", label("a", "1")))))
        yield* cluster.create("Lease", lease("nobody"))
        assert.isTrue(isNotFound(yield* Effect.flip(cluster.get("Lease", { namespace: "other", name: "nobody" }))))
      })
    )

    withCluster("refuses an update of an old revision", (cluster) =>
      Effect.gen(function* () {
        const first = yield* cluster.create("Lease", lease("l", "a"))
        const second = yield* cluster.update("Lease", { ...first, spec: { holderIdentity: "b" } })
        assert.notStrictEqual(second.metadata.resourceVersion, first.metadata.resourceVersion)
        assert.strictEqual(second.metadata.uid, first.metadata.uid)
        const late = cluster.update("Lease", { ...first, spec: { holderIdentity: "c" } })
        assert.isTrue(isConflict(yield* Effect.flip(late)))
        const key = { namespace: SPACE, name: "l" }
        assert.strictEqual((yield* cluster.get("Lease", key)).spec?.holderIdentity, "b")
      })
    )

    withCluster("writes status through the subresource without changing the rest", (cluster) =>
      Effect.gen(function* () {
        const created = yield* cluster.create("Node", node("n1", { a: "1" }))
        const status = { conditions: [{ type: "Ready", status: "True" as const }] }
        // Labels of nodes and pods, unlike their spec, may be changed through their status.
        const cordoned = { ...created, spec: { ...created.spec, unschedulable: true }, status }
        const updated = yield* cluster.updateStatus("Node", cordoned)
        assert.deepStrictEqual(
          updated.status?.conditions?.map(({ type }) => type),
          ["Ready"]
        )
        assert.notStrictEqual(updated.spec?.unschedulable, true)
      })
    )

    withCluster("merges patches, and refuses one of an old revision", (cluster) =>
      Effect.gen(function* () {
        const created = yield* cluster.create("Node", node("n1", { a: "1", b: "1" }))
        const patched = yield* cluster.patch("Node", { name: "n1" }, "merge", label("a", null))
        assert.deepStrictEqual(patched.metadata.labels, { b: "1" })
        const stale = { metadata: { resourceVersion: created.metadata.resourceVersion, labels: { c: "1" } } }
        assert.isTrue(isConflict(yield* Effect.flip(cluster.patch("Node", { name: "n1" }, "merge", stale))))
      })
    )

    withCluster("checks preconditions of a delete, and keeps an object until its finalizers are removed", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", { ...node("n1"), metadata: { name: "n1", finalizers: ["rollcall.dev/test"] } })
        const wrong = cluster.delete("Node", { name: "n1" }, { preconditions: { uid: "another" } })
        assert.isTrue(isConflict(yield* Effect.flip(wrong)))
        yield* cluster.delete("Node", { name: "n1" })
        const lingering = yield* cluster.get("Node", { name: "n1" })
        assert.notStrictEqual(lingering.metadata.deletionTimestamp, undefined)
        yield* cluster.patch("Node", { name: "n1" }, "merge", { metadata: { finalizers: null } })
        assert.isTrue(isNotFound(yield* Effect.flip(cluster.get("Node", { name: "n1" }))))
      })
    )
  })

  describe(`${name}: cancelled requests`, () => {
    withCluster("are not answered", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", node("n1"))
        const replies = new Array<number>(REQUESTS).fill(0)
        const cancels = replies.map((_, index) =>
          cluster.connection.send({ verb: "get", kind: "Node", name: "n1" }, () => {
            replies[index] = (replies[index] ?? 0) + 1
          })
        )
        const before = [...replies]
        for (const cancel of cancels) cancel()
        // These requests are sent later and are answered: a request in flight would have been answered before them.
        yield* cluster.list("Node")
        yield* cluster.get("Node", { name: "n1" })
        assert.deepStrictEqual(replies, before)
        for (const cancel of cancels) cancel()
      })
    )

    withCluster("do not affect other requests", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", node("n1"))
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        for (let index = 0; index < REQUESTS; index++) {
          fibers.push(yield* Effect.forkChild(cluster.get("Node", { name: "n1" })))
        }
        for (const fiber of fibers.filter((_, index) => index % 2 === 0)) yield* Fiber.interrupt(fiber)
        for (const fiber of fibers.filter((_, index) => index % 2 === 1)) yield* Fiber.join(fiber)
        const key = { name: "n1" }
        assert.strictEqual((yield* cluster.get("Node", key)).metadata.name, "n1")
      })
    )

    if (close !== undefined) {
      withCluster("are each answered once when their client is closed, as are all later requests", (cluster) =>
        Effect.gen(function* () {
          const replies = new Array<number>(REQUESTS).fill(0)
          const ask = (index: number) =>
            cluster.connection.send({ verb: "list", kind: "Node" }, () => {
              replies[index] = (replies[index] ?? 0) + 1
            })
          for (let index = 0; index < REQUESTS; index++) ask(index)
          yield* close
          assert.strictEqual((yield* Effect.flip(cluster.list("Node")))._tag, "ConnectionError")
          while (replies.includes(0)) yield* Effect.sleep("10 millis")
          // Time for a second reply, which there must not be.
          yield* Effect.sleep("50 millis")
          assert.deepStrictEqual(replies, new Array<number>(REQUESTS).fill(1))
        })
      )
    }
  })

  describe(`${name}: lists`, () => {
    withCluster("select by namespace, labels and name", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", node("n1", { zone: "a" }))
        yield* cluster.create("Node", node("n2", { zone: "b" }))
        yield* cluster.create("Node", node("n3"))
        yield* cluster.create("Lease", lease("l1"))
        assert.deepStrictEqual(names(yield* cluster.list("Node")), ["n1", "n2", "n3"])
        assert.deepStrictEqual(names(yield* cluster.list("Node", { labelSelector: "zone in (a,c)" })), ["n1"])
        assert.deepStrictEqual(names(yield* cluster.list("Node", { labelSelector: "zone!=a" })), ["n2", "n3"])
        assert.deepStrictEqual(names(yield* cluster.list("Node", { fieldSelector: "metadata.name=n2" })), ["n2"])
        assert.deepStrictEqual(names(yield* cluster.list("Lease", { namespace: SPACE })), ["l1"])
        assert.deepStrictEqual(names(yield* cluster.list("Lease", { namespace: "other" })), [])
      })
    )
  })

  describe(`${name}: watches`, () => {
    withCluster("deliver each change after the list's revision, in order", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", node("old"))
        const { metadata } = yield* cluster.list("Node")
        yield* cluster.create("Node", node("n1"))
        const log = yield* watchLog(cluster, "Node", { resourceVersion: metadata.resourceVersion ?? "" })
        yield* cluster.patch("Node", { name: "n1" }, "merge", label("a", "1"))
        yield* cluster.create("Node", node("n2"))
        yield* cluster.create("Lease", lease("l"))
        yield* cluster.delete("Node", { name: "n1" })
        assert.deepStrictEqual(yield* log.atLeast(4), ["ADDED n1", "MODIFIED n1", "ADDED n2", "DELETED n1"])
        const revisions = log.events.map((event) => Number(event.object.metadata.resourceVersion))
        assert.deepStrictEqual(
          revisions,
          revisions.toSorted((left, right) => left - right)
        )
        assert.strictEqual(new Set(revisions).size, 4)
      })
    )

    withCluster("start from the current state without a revision", (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", node("n1"))
        yield* cluster.create("Node", node("n2"))
        const log = yield* watchLog(cluster, "Node")
        assert.deepStrictEqual((yield* log.atLeast(2)).toSorted(), ["ADDED n1", "ADDED n2"])
        yield* cluster.delete("Node", { name: "n1" })
        assert.strictEqual((yield* log.atLeast(3))[2], "DELETED n1")
      })
    )

    withCluster("deliver additions and deletions when objects begin or cease to match the selector", (cluster) =>
      Effect.gen(function* () {
        const log = yield* watchLog(cluster, "Node", { labelSelector: "zone=a" })
        yield* cluster.create("Node", node("n1", { zone: "b" }))
        yield* cluster.patch("Node", { name: "n1" }, "merge", label("zone", "a"))
        yield* cluster.patch("Node", { name: "n1" }, "merge", label("other", "1"))
        yield* cluster.patch("Node", { name: "n1" }, "merge", label("zone", null))
        yield* cluster.delete("Node", { name: "n1" })
        yield* cluster.create("Node", node("n2", { zone: "a" }))
        assert.deepStrictEqual(yield* log.atLeast(4), ["ADDED n1", "MODIFIED n1", "DELETED n1", "ADDED n2"])
      })
    )

    withCluster("resume from a revision without a gap or a repeat", (cluster) =>
      Effect.gen(function* () {
        const first = yield* watchLog(cluster, "Node")
        yield* cluster.create("Node", node("n1"))
        yield* cluster.create("Node", node("n2"))
        yield* first.atLeast(2)
        first.cancel()
        yield* cluster.delete("Node", { name: "n1" })
        yield* cluster.create("Node", node("n3"))
        const second = yield* watchLog(cluster, "Node", { resourceVersion: first.lastRevision() })
        yield* cluster.create("Node", node("n4"))
        assert.deepStrictEqual(yield* second.atLeast(3), ["DELETED n1", "ADDED n3", "ADDED n4"])
        assert.strictEqual(first.events.length, 2)
      })
    )

    if (forgetHistory !== undefined) {
      withCluster("end with Gone when their revision is compacted", (cluster) =>
        Effect.gen(function* () {
          const created = yield* cluster.create("Node", node("n1"))
          yield* cluster.create("Node", node("n2"))
          yield* cluster.create("Node", node("n3"))
          yield* forgetHistory
          const log = yield* watchLog(cluster, "Node", { resourceVersion: created.metadata.resourceVersion ?? "" })
          const error = yield* log.ended
          assert.isTrue(error !== undefined && isGone(error))
          assert.deepStrictEqual(log.events, [])
          assert.deepStrictEqual(names(yield* cluster.list("Node")), ["n1", "n2", "n3"])
        })
      )
    }
  })
}
