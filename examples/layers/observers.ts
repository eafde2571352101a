import { Observers } from "@rollcall/control-plane"
import { defineLayers } from "@rollcall/worlds"
import { Console, Effect, Layer } from "effect"

/** Counts the decisions of the node controllers, and prints the counts when the cluster ends. */
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
