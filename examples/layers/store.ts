import { layerMemory, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** The duration of an fsync on a slow disk. */
const FSYNC_MS = 250

/** An in-memory store that acknowledges writes as late as a slow disk would. */
const slowStore = Layer.effect(
  Store,
  Effect.gen(function* () {
    const timers = yield* Timers
    const store = yield* Store
    return {
      ...store,
      write: (batch, reply) => store.write(batch, (result) => void timers.after(FSYNC_MS, () => reply(result)))
    }
  })
).pipe(Layer.provide(layerMemory()))

export default defineLayers(slowStore)
