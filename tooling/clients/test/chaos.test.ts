import { assert, describe, it } from "@effect/vitest"
import type { Lease } from "@rollcall/api"
import { type InformerHandler, keyOf, makeInformer } from "@rollcall/cluster"
import { makeConnection } from "@rollcall/kube-client"
import { rngOf, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Chaos, chaosTo } from "../src/Chaos.ts"
import { LiveServer } from "../src/LiveServer.ts"

const SPACE = "default"

const lease = (name: string, holderIdentity: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: SPACE },
  spec: { holderIdentity }
})

/** Checks the calls of an informer: fails if one is lost, repeated or out of order. */
const checkedHandler = () => {
  const seen = new Map<string, Lease>()
  const wrong: Array<string> = []
  const handler: InformerHandler<Lease> = {
    onAdd: (object) => {
      if (seen.has(keyOf(object))) wrong.push(`added twice: ${keyOf(object)}`)
      seen.set(keyOf(object), object)
    },
    onUpdate: (old, object) => {
      if (seen.get(keyOf(object)) !== old) wrong.push(`update from another state: ${keyOf(object)}`)
      if (Number(object.metadata.resourceVersion) <= Number(old.metadata.resourceVersion)) {
        wrong.push(`back in time: ${keyOf(object)}`)
      }
      seen.set(keyOf(object), object)
    },
    onDelete: (last) => {
      if (!seen.delete(keyOf(last))) wrong.push(`deleted twice: ${keyOf(last)}`)
    }
  }
  return { seen, wrong, handler }
}

const world = Effect.gen(function* () {
  const live = yield* LiveServer
  const timers = yield* Timers
  const chaos = yield* chaosTo(live.port)
  // The informers' back-off runs ten times as fast, so that a minute of failures fits into a test.
  const fastTimers = { ...timers, after: (delayMs: number, act: () => void) => timers.after(delayMs / 10, act) }
  const connectThroughProxy = (config = {}) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        makeConnection({
          config: { ...live.config, server: `http://127.0.0.1:${chaos.port}`, ...config },
          timers,
          userAgent: "chaos/v1"
        })
      ),
      (made) => Effect.sync(made.close)
    )
  const writer = live.server.connect({ user: "admin", groups: ["system:masters"], userAgent: "writer" })
  return { live, timers, fastTimers, chaos, writer, connectThroughProxy }
})

const writeRandomly = (connection: Effect.Success<typeof world>["writer"], chance: () => number) => {
  const name = `l${Math.floor(chance() * 20)}`
  const dice = chance()
  const ignore = () => undefined
  if (dice < 0.3) connection.send({ verb: "delete", kind: "Lease", namespace: SPACE, name }, ignore)
  else if (dice < 0.6) {
    connection.send({ verb: "create", kind: "Lease", namespace: SPACE, object: lease(name, String(chance())) }, ignore)
  } else {
    const body = { spec: { holderIdentity: String(chance()) } }
    connection.send({ verb: "patch", kind: "Lease", namespace: SPACE, name, patchType: "merge", body }, ignore)
  }
}

const breakRandomly = (chaos: Chaos, compact: Effect.Effect<void>, chance: () => number) =>
  Effect.gen(function* () {
    const dice = chance()
    if (dice < 0.1) chaos.cut()
    else if (dice < 0.13) chaos.refuse = !chaos.refuse
    else if (dice < 0.2) yield* compact
  })

describe("informers over a breaking connection", () => {
  for (const seed of [1, 2, 3]) {
    it.live(`have the server's objects, and received them in order (seed ${seed})`, () =>
      Effect.gen(function* () {
        const { chaos, fastTimers, live, connectThroughProxy, writer } = yield* world
        const chance = rngOf(seed)
        chaos.breakAfterBytes = () => (chance() < 0.7 ? 200 + Math.floor(chance() * 4000) : 0)
        const witnesses = yield* Effect.forEach([0, 1, 2], (index) =>
          Effect.gen(function* () {
            const connection = yield* connectThroughProxy()
            const { handler, seen, wrong } = checkedHandler()
            const informer = makeInformer(connection, fastTimers, rngOf(seed * 10 + index), "Lease", {
              handlers: [handler]
            })
            yield* Effect.acquireRelease(Effect.sync(informer.start), () => Effect.sync(informer.stop))
            return { informer, seen, wrong }
          })
        )
        for (let turn = 0; turn < 300; turn++) {
          for (let count = Math.floor(chance() * 4); count > 0; count--) writeRandomly(writer, chance)
          yield* breakRandomly(chaos, live.server.compact, chance)
          if (turn % 3 === 0) yield* Effect.sleep("5 millis")
        }
        chaos.refuse = false
        chaos.breakAfterBytes = () => 0
        chaos.cut()
        const expected = yield* Effect.callback<ReadonlyArray<Lease>>((resume) => {
          writer.send({ verb: "list", kind: "Lease" }, (answer) =>
            resume(Effect.succeed((Result.getOrThrow(answer) as { items: ReadonlyArray<Lease> }).items))
          )
        })
        const stateOf = (leases: Iterable<Lease>) =>
          [...leases].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).toSorted()
        for (const { informer, seen, wrong } of witnesses) {
          for (let wait = 0; wait < 400; wait++) {
            if (JSON.stringify(stateOf(informer.list())) === JSON.stringify(stateOf(expected))) break
            yield* Effect.sleep("20 millis")
          }
          assert.deepStrictEqual(stateOf(informer.list()), stateOf(expected))
          assert.deepStrictEqual(stateOf(seen.values()), stateOf(expected))
          assert.deepStrictEqual(wrong, [])
        }
        assert.isAbove(chaos.opened(), 10)
      }).pipe(Effect.scoped, Effect.provide(LiveServer.layer))
    )
  }

  it.live(
    "spread the requests of a hundred informers after their server has restarted",
    () =>
      Effect.gen(function* () {
        const { chaos, connectThroughProxy, timers } = yield* world
        const connection = yield* connectThroughProxy()
        const informers = Array.from({ length: 100 }, (_, seed) =>
          makeInformer(connection, timers, rngOf(seed), "Lease")
        )
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            for (const informer of informers) informer.start()
          }),
          () =>
            Effect.sync(() => {
              for (const informer of informers) informer.stop()
            })
        )
        for (let wait = 0; wait < 400 && !informers.every((informer) => informer.hasSynced()); wait++) {
          yield* Effect.sleep("20 millis")
        }
        assert.isTrue(informers.every((informer) => informer.hasSynced()))
        const before = chaos.opened()
        chaos.refuse = true
        chaos.cut()
        yield* Effect.sleep("1500 millis")
        const duringOutage = chaos.opened() - before
        // A hundred informers: each retries at once, and once or twice more after its back-off.
        assert.isAtMost(duringOutage, 300)
        chaos.refuse = false
        yield* Effect.sleep("1500 millis")
        // Each connects again, and may have one more attempt under way.
        assert.isAtMost(chaos.opened() - before - duringOutage, 200)
      }).pipe(Effect.scoped, Effect.provide(LiveServer.layer)),
    15_000
  )
})
