import type { HealthCheck } from "@rollcall/api-server/http"
import { Store, type StoreShape } from "@rollcall/store"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** Whether the store answered last. */
export interface StoreHealth {
  isHealthy: boolean
}

/** The health checks of a store, by their names in Kubernetes. */
export const storeChecks = (health: StoreHealth): ReadonlyArray<HealthCheck> => {
  const check = () => health.isHealthy
  return [
    { name: "etcd", check },
    { name: "etcd-readiness", endpoints: ["readyz"], check }
  ]
}

/* How often a store on the network is asked, and how long it may take. Upstream: --etcd-healthcheck-timeout. */
const PROBE_MS = 2000
const TIMEOUT_MS = 2000

/** Records the results of writes: a full disk or a lost file makes the server unhealthy until a write succeeds. */
const recordHealth = (store: StoreShape, health: StoreHealth): StoreShape => ({
  ...store,
  write: (batch, reply) =>
    store.write(batch, (result, texts) => {
      health.isHealthy = Result.isSuccess(result) || result.failure._tag !== "StoreFailure"
      reply(result, texts)
    })
})

/** Asks a store on the network now and then, in real time: nobody may be writing when it is lost, or when it is back. */
const probe = (current: NonNullable<StoreShape["current"]>, health: StoreHealth) =>
  Effect.callback<boolean>((resume) => current((result) => resume(Effect.succeed(Result.isSuccess(result))))).pipe(
    Effect.timeoutOrElse({ duration: TIMEOUT_MS, orElse: () => Effect.succeed(false) }),
    Effect.tap((isHealthy) =>
      Effect.sync(() => {
        health.isHealthy = isHealthy
      })
    ),
    Effect.delay(PROBE_MS),
    Effect.forever,
    Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock))
  )

/** Wraps the provided Store to record its health. */
export const watchedStore = (health: StoreHealth): Layer.Layer<Store, never, Store> =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const store = yield* Store
      if (store.current !== undefined) yield* Effect.forkScoped(probe(store.current, health))
      return recordHealth(store, health)
    })
  )
