import { assert, describe, it } from "@effect/vitest"
import { Store, StoreFailure } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type StoreHealth, storeChecks, watchedStore } from "../src/apiserver/watchedStore.ts"

describe("the health of a store", () => {
  it.effect("is that of the last write, for both checks that Kubernetes has", () =>
    Effect.gen(function* () {
      const health: StoreHealth = { isHealthy: true }
      let isFull = true
      const store = {
        write: (_: unknown, reply: (result: Result.Result<number, StoreFailure>) => void) =>
          reply(isFull ? Result.fail(new StoreFailure({ message: "the disk is full" })) : Result.succeed(1))
      }
      const layer = Layer.provide(watchedStore(health), Layer.succeed(Store, store as never))
      const outcomes = () => storeChecks(health).map(({ check, name }) => `${name} ${check()}`)
      yield* Effect.gen(function* () {
        const { write } = yield* Store
        write([], () => {})
        assert.deepStrictEqual(outcomes(), ["etcd false", "etcd-readiness false"])
        isFull = false
        write([], () => {})
        assert.deepStrictEqual(outcomes(), ["etcd true", "etcd-readiness true"])
      }).pipe(Effect.provide(layer))
    })
  )
})
