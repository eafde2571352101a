import type { Lease } from "@rollcall/api"
import { makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  type ApiRequest,
  Cluster,
  type Connection,
  Controller,
  fromConnection,
  layerSharedWrites,
  observedByShared,
  rateLimited,
  SharedWrites
} from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = Date.UTC(2026, 0, 1)
const lease = (name: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "d" },
  spec: {}
})
const create = (name: string): ApiRequest => ({ verb: "create", kind: "Lease", namespace: "d", object: lease(name) })

/** A connection whose answers the test gives. */
const slow = () => {
  const replies: Array<(answer: unknown) => void> = []
  const connection: Connection = {
    watch: () => () => undefined,
    send: (_, reply) => {
      replies.push(reply as never)
      return () => undefined
    }
  }
  return { connection, replies }
}

/** Notes what a follower is told. */
const noted = (writes: SharedWrites) => {
  const seen: Array<string> = []
  const stop = writes.follow("Lease", ({ verb }) => {
    seen.push(verb)
    return (written) => void seen.push(`${verb} ${written?.metadata.name}`)
  })
  return { seen, stop }
}

describe("SharedWrites", () => {
  it("tells of each write of a kind when it is sent and when it has ended, before the caller has the answer", () => {
    const writes = new SharedWrites()
    const { connection, replies } = slow()
    const { seen, stop } = noted(writes)
    const { send } = writes.observed(connection)
    send(create("a"), () => void seen.push("answer"))
    send({ verb: "get", kind: "Lease", namespace: "d", name: "a" }, () => undefined)
    send({ verb: "delete", kind: "Lease", namespace: "d", name: "a" }, () => undefined)
    send({ ...create("b"), kind: "Pod" } as never, () => undefined)
    assert.deepStrictEqual(seen, ["create"])
    replies[0]?.(Result.succeed({ metadata: { name: "a", resourceVersion: "7" } }))
    assert.deepStrictEqual(seen.splice(0), ["create", "create a", "answer"])
    send(create("c"), () => undefined)
    replies.at(-1)?.(Result.fail("no"))
    send(create("c"), () => undefined)
    replies.at(-1)?.(Result.succeed({ kind: "Status" }))
    send(create("c"), () => undefined)()
    assert.deepStrictEqual(seen.splice(0), Array(3).fill(["create", "create undefined"]).flat())
    const throwing = writes.observed({
      ...connection,
      send: () => {
        throw new Error("broken")
      }
    })
    assert.throws(() => throwing.send(create("c"), () => undefined), "broken")
    assert.deepStrictEqual(seen.splice(0), ["create", "create undefined"])
    stop()
    send(create("d"), () => undefined)
    assert.deepStrictEqual(seen, [])
  })

  it("tells of a write that waits for the rate limit when it leaves", () => {
    const { runUntil, timers } = makeVirtualTime(START)
    const writes = new SharedWrites()
    const { seen } = noted(writes)
    const { send } = rateLimited(writes.observed(slow().connection), { qps: 1, burst: 1, timers })
    send(create("a"), () => undefined)
    send(create("b"), () => undefined)
    assert.lengthOf(seen, 1)
    runUntil(START + 1001)
    assert.lengthOf(seen, 2)
  })

  it("tells a controller of its own writes, or of those of all that share them, while it runs", () => {
    const run = (shares: boolean) => {
      const time = makeVirtualTime(START)
      const server = new FakeServer(time.timers)
      server.put("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n" } })
      const seen: Array<string> = []
      const writer = (name: string) =>
        Controller.make({
          name,
          for: "Node",
          reconcile: ({ cluster, followWrites }) => {
            followWrites("Lease", () => (written) => void seen.push(`${name} ${written?.metadata.name}`))
            // By then both follow.
            return () => Effect.delay(Effect.asVoid(cluster.create("Lease", lease(name))), "10 millis")
          }
        }).pipe(
          Layer.provide(
            Layer.effect(
              Cluster,
              Effect.map(observedByShared, (observed) => fromConnection(observed(server.connection)))
            )
          )
        )
      const both = Layer.mergeAll(writer("a"), writer("b")).pipe(
        Layer.provide(shares ? layerSharedWrites : Layer.empty),
        Layer.provide(Layer.succeed(Timers, time.timers))
      )
      const fiber = time.fork(Layer.launch(both))
      time.runUntil(START + 1000)
      fiber.interruptUnsafe()
      return seen.sort()
    }
    assert.deepStrictEqual(run(false), ["a a", "b b"])
    assert.deepStrictEqual(run(true), ["a a", "a b", "b a", "b b"])
  })
})
