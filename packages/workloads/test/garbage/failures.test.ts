import { assert, describe, it } from "@effect/vitest"
import { Cluster, type Connection, ConnectionError, CurrentInformerFollower, cancellable } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { GarbageCollector } from "../../src/garbage/GarbageCollector.ts"

describe("a garbage collector whose server does not answer", () => {
  it("logs failed lists, and that its kinds are not synced", () => {
    const time = makeVirtualTime(0)
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
      const { err } = fiber.getRef(References.CurrentLogAnnotations)
      lines.push(`${logLevel} ${message}: ${err}`)
    })
    const followed: Array<readonly [string, () => boolean]> = []
    const connection: Connection = {
      send: cancellable((_, reply) =>
        reply(Result.fail(new ConnectionError({ message: "connect: connection refused" })))
      ),
      watch: () => () => {}
    }
    const collector = GarbageCollector.layer({ kinds: ["Pod", "Node"] }).pipe(
      Layer.provide(Cluster.layerConnection(connection))
    )
    time.fork(
      Effect.scoped(Effect.andThen(Layer.build(collector), Effect.never)).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(CurrentInformerFollower, ({ hasSynced, kind }) => {
          followed.push([kind, hasSynced])
          return () => undefined
        })
      )
    )
    time.runUntil(1)
    const refused = (type: string) => `Error Failed to watch: failed to list ${type}: connect: connection refused`
    assert.include(lines, refused("*v1.Pod"))
    assert.include(lines, refused("*v1.Node"))
    assert.includeMembers(
      followed.map(([kind]) => kind),
      ["Pod", "Node"]
    )
    assert.isTrue(followed.every(([, hasSynced]) => !hasSynced()))
  })
})
