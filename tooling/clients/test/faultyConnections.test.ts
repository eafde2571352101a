import { assert, describe, it } from "@effect/vitest"
import type { Lease } from "@rollcall/api"
import { type Connection, type InformerHandler, keyOf, makeInformer, type PlainInformer } from "@rollcall/cluster"
import { makeConnection } from "@rollcall/kube-client"
import { rngOf, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type FaultyProxy, startFaultyProxy } from "../src/FaultyProxy.ts"
import { LiveServer } from "../src/LiveServer.ts"

const NAMESPACE = "default"

const lease = (name: string, holderIdentity: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: NAMESPACE },
  spec: { holderIdentity }
})

/**
 * Makes a handler that keeps the objects it was called with, and collects calls that contradict earlier ones. A lost call shows in the
 * next call for its object, or in `objects` at the end. An object that was added and deleted while the watch was broken shows nowhere:
 * an informer may leave it out.
 */
const makeRecordingHandler = () => {
  const objects = new Map<string, Lease>()
  const problems: Array<string> = []
  const handler: InformerHandler<Lease> = {
    onAdd: (object) => {
      const key = keyOf(object)
      if (objects.has(key)) problems.push(`onAdd was called for ${key}, which the informer already has`)
      objects.set(key, object)
    },
    onUpdate: (old, object) => {
      const key = keyOf(object)
      // The informer hands over the very object of the call before.
      if (objects.get(key) !== old) {
        problems.push(`onUpdate of ${key} was called with an old object that is not the last one`)
      }
      const [oldRevision, revision] = [Number(old.metadata.resourceVersion), Number(object.metadata.resourceVersion)]
      if (revision <= oldRevision) {
        problems.push(`onUpdate of ${key} was called with resourceVersion ${revision} after ${oldRevision}`)
      }
      objects.set(key, object)
    },
    onDelete: (last) => {
      if (!objects.delete(keyOf(last))) {
        problems.push(`onDelete was called for ${keyOf(last)}, which the informer does not have`)
      }
    }
  }
  return { objects, problems, handler }
}

/** Starts an API server and a proxy before it. Clients connect through the proxy; the writer calls the server in process. */
const setUp = Effect.gen(function* () {
  const live = yield* LiveServer
  const timers = yield* Timers
  const proxy = yield* startFaultyProxy(live.port)
  const connectThroughProxy = Effect.acquireRelease(
    Effect.sync(() =>
      makeConnection({
        config: { ...live.config, server: `http://127.0.0.1:${proxy.port}` },
        timers,
        userAgent: "faulty-connections/v1"
      })
    ),
    (connection) => Effect.sync(connection.close)
  )
  const writer = live.server.connect({ user: "admin", groups: ["system:masters"], userAgent: "writer" })
  return { server: live.server, timers, proxy, writer, connectThroughProxy }
})

const startInformer = (informer: PlainInformer<"Lease">) =>
  Effect.acquireRelease(Effect.sync(informer.start), () => Effect.sync(informer.stop))

/** Creates, patches or deletes one of 20 Leases. Refusals are expected: the Lease may exist already, or not any more. */
const writeRandomly = (connection: Connection, random: () => number) => {
  const name = `l${Math.floor(random() * 20)}`
  const choice = random()
  const ignore = () => undefined
  if (choice < 0.3) connection.send({ verb: "delete", kind: "Lease", namespace: NAMESPACE, name }, ignore)
  else if (choice < 0.6) {
    const object = lease(name, String(random()))
    connection.send({ verb: "create", kind: "Lease", namespace: NAMESPACE, object }, ignore)
  } else {
    const body = { spec: { holderIdentity: String(random()) } }
    connection.send({ verb: "patch", kind: "Lease", namespace: NAMESPACE, name, patchType: "merge", body }, ignore)
  }
}

/**
 * Cuts the connections, begins or ends an outage, compacts the server's history, or does nothing (80 %). After a compaction the server
 * refuses with 410 Expired to continue a watch from an older revision, so the informer must list again.
 */
const breakRandomly = (proxy: FaultyProxy, compact: Effect.Effect<void>, random: () => number) =>
  Effect.gen(function* () {
    const choice = random()
    if (choice < 0.1) proxy.cutConnections()
    else if (choice < 0.13) proxy.refusesConnections = !proxy.refusesConnections
    else if (choice < 0.2) yield* compact
  })

const listLeases = (connection: Connection) =>
  Effect.callback<ReadonlyArray<Lease>>((resume) => {
    connection.send({ verb: "list", kind: "Lease" }, (answer) =>
      resume(Effect.succeed((Result.getOrThrow(answer) as { items: ReadonlyArray<Lease> }).items))
    )
  })

/** Names and revisions, in order: two sets of Leases with the same texts are the same. */
const namesAndRevisions = (leases: Iterable<Lease>) =>
  [...leases].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).toSorted()

/** Waits until the condition holds, for at most 8 s. The caller asserts it again, with a better message. */
const waitUntil = (isTrue: () => boolean) =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 400 && !isTrue(); attempt++) yield* Effect.sleep("20 millis")
  })

describe("informers over a breaking connection", () => {
  for (const seed of [1, 2, 3]) {
    it.live(`end with the server's objects after random faults, and call handlers in order (seed ${seed})`, () =>
      Effect.gen(function* () {
        const { connectThroughProxy, proxy, server, timers, writer } = yield* setUp
        // The informers' back-off runs ten times as fast, so that they reconnect often within the test. Connections keep real time
        // (`setUp`), because their timeouts wait for a server in real time.
        const fastTimers = { ...timers, after: (delayMs: number, act: () => void) => timers.after(delayMs / 10, act) }
        const random = rngOf(seed)
        // Asked once for each connection: 70 % break after 200 to 4,200 bytes, the others never.
        proxy.breakAfterBytes = () => (random() < 0.7 ? 200 + Math.floor(random() * 4000) : undefined)
        const observedInformers = yield* Effect.forEach([0, 1, 2], (index) =>
          Effect.gen(function* () {
            const connection = yield* connectThroughProxy
            const { handler, objects, problems } = makeRecordingHandler()
            const informer = makeInformer(connection, fastTimers, rngOf(seed * 10 + index), "Lease", {
              handlers: [handler]
            })
            yield* startInformer(informer)
            return { informer, objects, problems }
          })
        )
        for (let turn = 0; turn < 300; turn++) {
          for (let writes = Math.floor(random() * 4); writes > 0; writes--) writeRandomly(writer, random)
          yield* breakRandomly(proxy, server.compact, random)
          // Pauses in every third turn only, so that several writes and faults happen before the informers receive anything.
          if (turn % 3 === 0) yield* Effect.sleep("5 millis")
        }
        proxy.refusesConnections = false
        proxy.breakAfterBytes = () => undefined
        // Open connections would still break after their bytes.
        proxy.cutConnections()
        const expected = namesAndRevisions(yield* listLeases(writer))
        for (const { informer, objects, problems } of observedInformers) {
          yield* waitUntil(() => JSON.stringify(namesAndRevisions(informer.list())) === JSON.stringify(expected))
          assert.deepStrictEqual(namesAndRevisions(informer.list()), expected, "the informer's cache")
          assert.deepStrictEqual(namesAndRevisions(objects.values()), expected, "the objects that its handler has")
          assert.deepStrictEqual(problems, [], "calls of the handler that contradict earlier ones")
        }
        assert.isAbove(
          proxy.connectionsOpened(),
          10,
          "the number of connections opened, which is small if the proxy broke almost none"
        )
      }).pipe(Effect.scoped, Effect.provide(LiveServer.layer))
    )
  }

  it.live(
    "each open at most three connections in an outage of 1.5 s, and at most two after it",
    () =>
      Effect.gen(function* () {
        const { connectThroughProxy, proxy, timers } = yield* setUp
        const connection = yield* connectThroughProxy
        // Real timers: client-go's back-off starts at 0.8 s, doubles up to 30 s, and is multiplied by a random 1 to 2.
        const informers = Array.from({ length: 100 }, (_, seed) =>
          makeInformer(connection, timers, rngOf(seed), "Lease")
        )
        yield* Effect.forEach(informers, startInformer)
        const haveAllSynced = () => informers.every((informer) => informer.hasSynced())
        yield* waitUntil(haveAllSynced)
        assert.isTrue(haveAllSynced(), "all informers have synced before the outage")
        const openedBefore = proxy.connectionsOpened()
        proxy.refusesConnections = true
        proxy.cutConnections()
        yield* Effect.sleep("1500 millis")
        const openedDuringOutage = proxy.connectionsOpened() - openedBefore
        // At most three: one at once, one after 0.8 s or more, and one that had begun before the outage.
        assert.isAtMost(openedDuringOutage, 3 * informers.length, "connections opened during the outage")
        proxy.refusesConnections = false
        yield* Effect.sleep("1500 millis")
        const openedAfter = proxy.connectionsOpened() - openedBefore - openedDuringOutage
        // At most two: the one that succeeds, and one that began during the outage and ends after it.
        assert.isAtMost(openedAfter, 2 * informers.length, "connections opened after the outage")
      }).pipe(Effect.scoped, Effect.provide(LiveServer.layer)),
    15_000
  )
})
