import { Store, type StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** Whether the last write of the store succeeded. */
export interface StoreHealth {
  isHealthy: boolean
}

/** Records the results of writes: a full disk or a lost file makes the server unhealthy until a write succeeds. */
const recordHealth = (store: StoreShape, health: StoreHealth): StoreShape => ({
  ...store,
  write: (batch, reply) =>
    store.write(batch, (result, texts) => {
      health.isHealthy = Result.isSuccess(result) || result.failure._tag !== "StoreFailure"
      reply(result, texts)
    })
})

/** Wraps the provided Store to record its health. */
export const watchedStore = (health: StoreHealth): Layer.Layer<Store, never, Store> =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => recordHealth(store, health))
  )
