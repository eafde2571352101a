import { Observers } from "@rollcall/control-plane"
import { defineLayers } from "@rollcall/worlds"
import { Console, Effect, Layer } from "effect"

/** Counts what the node controllers decide, and says so when the world ends. */
const counting = Layer.unwrap(
  Effect.gen(function* () {
    const counts = { evictions: 0, cancelled: 0, disruptions: 0 }
    yield* Effect.addFinalizer(() => Console.error("node controllers:", counts))
    return Observers.layer({
      evictionScheduled: () => void counts.evictions++,
      evictionCancelled: () => void counts.cancelled++,
      zoneStateChanged: ({ to }) => {
        if (to !== "Normal") counts.disruptions++
      }
    })
  })
)

export default defineLayers(counting)
