import { Store, type StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** Whether the last write that the store answered got through. */
export interface StoreHealth {
  isWell: boolean
}

/** Notes what becomes of writes: a full disk or a lost file makes the server unhealthy until one gets through again. */
const watched = (store: StoreShape, health: StoreHealth): StoreShape => ({
  ...store,
  write: (batch, reply) =>
    store.write(batch, (result) => {
      health.isWell = Result.isSuccess(result) || result.failure._tag !== "StoreFailure"
      reply(result)
    })
})

/** The Store at hand, watched. */
export const watchedStore = (health: StoreHealth): Layer.Layer<Store, never, Store> =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => watched(store, health))
  )
