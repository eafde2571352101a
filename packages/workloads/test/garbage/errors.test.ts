import { assert, describe, it } from "@effect/vitest"
import { ApiServer } from "@rollcall/api-server"
import { customResources } from "@rollcall/api-server/custom"
import { Cluster, CurrentQueueMeter, fromConnection, isNotFound, type QueueMeter } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { GarbageCollector, layerNamespaceController } from "../../src/index.ts"
import { configMapNames, createConfigMap, deleteConfigMap } from "./runWithCollector.ts"

/** Throws in a worker of a queue, outside of what handles a key: the first time that a key is taken from it. */
const meterThatThrowsFor = (strikes: string): QueueMeter => {
  let isStruck = false
  return {
    hooks: (name) => ({
      queued: () => {
        if (name !== strikes || isStruck) return
        isStruck = true
        throw new Error("by hand")
      }
    }),
    follow: () => {}
  }
}

const cluster = Layer.effect(
  Cluster,
  Effect.map(ApiServer, ({ connect }) =>
    fromConnection(connect({ user: "admin", groups: ["system:masters"], userAgent: "test" }))
  )
).pipe(Layer.provide(ApiServer.layer({ customResources })), Layer.provide(layerMemory()))

/** Both controllers over an API server, and what was handed to `handleError`. */
const run = <A, E>(strikes: string, program: Effect.Effect<A, E, Cluster>) => {
  const errors: Array<string> = []
  const time = makeVirtualTime(1_767_225_600_000, {
    handleError: (source, error) => void errors.push(`${source}: ${(error as Error).message}`)
  })
  const layer = Layer.merge(GarbageCollector.layer(), layerNamespaceController()).pipe(Layer.provideMerge(cluster))
  const exit = time.run(
    Effect.scoped(Effect.provide(program, layer)).pipe(
      Effect.provideService(CurrentQueueMeter, meterThatThrowsFor(strikes))
    )
  )
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return { value: exit.value, errors }
}

describe("a controller whose workers die", () => {
  it("of garbage continues after a second, and the error is handled", () => {
    const { errors, value } = run(
      "garbage_collector_attempt_to_delete",
      Effect.gen(function* () {
        yield* Effect.sleep("5 seconds")
        for (const name of ["a", "b"]) {
          const owner = yield* createConfigMap(name)
          yield* createConfigMap(`${name}-child`, [owner])
          yield* deleteConfigMap(name)
          yield* Effect.sleep("10 seconds")
        }
        return yield* configMapNames
      })
    )
    assert.notInclude(value, "b-child")
    assert.deepStrictEqual(errors, ["controller: by hand"])
  })

  it("of namespaces continues with the next one after a second, and the error is handled", () => {
    const { errors, value } = run(
      "namespace",
      Effect.gen(function* () {
        const api = yield* Cluster
        for (const name of ["a", "b"]) {
          yield* api.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name } })
          yield* api.delete("Namespace", { name })
          yield* Effect.sleep("30 seconds")
        }
        return yield* api.get("Namespace", { name: "b" }).pipe(
          Effect.as("there"),
          Effect.catchIf(isNotFound, () => Effect.succeed("gone"))
        )
      })
    )
    assert.strictEqual(value, "gone")
    assert.deepStrictEqual(errors, ["controller: by hand"])
  })
})
