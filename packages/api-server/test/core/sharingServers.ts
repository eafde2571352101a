import { makeMemoryStore, Store, type StoreShape } from "@rollcall/store"
import { type HandleError, makeVirtualTime, type Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { ApiServer, type ApiServerOptions } from "../../src/core/index.ts"
import { START_MS, testServerOf } from "./testServer.ts"

/** Servers over one store and one time; `through` stands between each server and the store. */
export const startSharingServers = (
  count: number,
  through: (store: StoreShape, timers: Timers["Service"]) => StoreShape = (store) => store,
  history = 1000,
  options: ApiServerOptions = {},
  handleError?: HandleError
) => {
  const time = makeVirtualTime(START_MS, handleError === undefined ? {} : { handleError })
  const store = makeMemoryStore(time.timers, { historyRevisions: history })
  const start = (by = through) => {
    const scope = Effect.runSync(Scope.make())
    const layer = Layer.provide(ApiServer.layer(options), Layer.succeed(Store, by(store, time.timers)))
    const built = time.run(Layer.buildWithScope(layer, scope))
    if (Exit.isFailure(built)) throw new Error(String(built.cause))
    const stop = () => time.run(Scope.close(scope, Exit.void))
    return { ...testServerOf(time, Context.get(built.value, ApiServer)), stop }
  }
  return { time, store, start, servers: Array.from({ length: count }, () => start()) }
}
