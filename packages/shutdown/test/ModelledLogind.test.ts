import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeModelledLogind } from "../src/index.ts"
import { inhibitorContract } from "../src/testing/index.ts"

inhibitorContract(
  "modelled",
  Effect.gen(function* () {
    const context = yield* Layer.build(layerWallClock())
    const logind = yield* Effect.provideContext(
      Effect.map(Timers, (timers) => makeModelledLogind({ timers, inhibitDelayMs: 5000 })),
      context
    )
    return {
      inhibitor: logind.inhibitor,
      inhibitDelayMs: 5000,
      emit: (goingDown) => Effect.sync(() => logind.emit(goingDown)),
      locksHeld: Effect.sync(logind.locksHeld),
      stopBus: Effect.sync(() => logind.stopBus()),
      startBus: Effect.sync(logind.startBus)
    }
  })
)
