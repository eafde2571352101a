import { Inhibitors } from "@rollcall/machines"
import { Timers } from "@rollcall/time"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** The duration of the battery. */
const BATTERY_MS = 120_000

/** Machines in shutdown run on a battery: when it is empty they are off, even if pods still run. */
const onBattery = Layer.effect(
  Inhibitors,
  Effect.gen(function* () {
    const timers = yield* Timers
    const inhibitors = yield* Inhibitors
    return {
      of: (machine) => {
        const shutdown = inhibitors.of(machine)
        let empty = timers.at(0, () => {})
        return {
          ...shutdown,
          begin: () => {
            timers.cancel(empty)
            empty = timers.after(BATTERY_MS, () => machine.machine().crash())
            shutdown.begin()
          },
          cancel: () => {
            timers.cancel(empty)
            shutdown.cancel()
          }
        }
      }
    }
  })
).pipe(Layer.provide(Inhibitors.layerModelled))

export default defineLayers(onBattery)
