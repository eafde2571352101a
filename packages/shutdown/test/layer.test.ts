import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import {
  makeModelledLogind,
  PodKiller,
  type ShutdownConfig,
  ShutdownInhibitor,
  ShutdownManager,
  ShutdownState
} from "../src/index.ts"
import { config, twoPeriods } from "./startTestManager.ts"

const idlePodKiller = PodKiller.of({
  activePods: Effect.succeed([]),
  kill: () => Effect.succeed("stopped"),
  volumesUnmounted: () => Effect.void,
  syncNodeStatus: Effect.void,
  nodeEvent: () => Effect.void
})

describe("the layer", () => {
  const build = (given: ShutdownConfig, busIsThere = true) =>
    Effect.gen(function* () {
      const { timers } = makeVirtualTime(0)
      const logind = makeModelledLogind({ timers })
      if (!busIsThere) logind.stopBus()
      const errors: Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        if (logLevel === "Error") errors.push(String(message))
      })
      const services = Context.make(ShutdownInhibitor, logind.inhibitor).pipe(Context.add(PodKiller, idlePodKiller))
      const held = yield* Effect.scoped(
        Effect.gen(function* () {
          const built = yield* Layer.build(Layer.provide(ShutdownManager.layer(given), ShutdownState.layerMemory))
          return { active: Context.get(built, ShutdownManager).active, locks: logind.locksHeld() }
        })
      ).pipe(Effect.provideContext(services), Effect.provide(Logger.layer([logger])))
      return { ...held, locksAfter: logind.locksHeld(), errors }
    })

  it.effect("holds the lock for as long as its scope is open", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* build(twoPeriods(5, 1)), { active: true, locks: 1, locksAfter: 0, errors: [] })
    })
  )

  it.effect("logs a failed start and goes on without a manager", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* build(twoPeriods(5, 1), false), {
        active: true,
        locks: 0,
        locksAfter: 0,
        errors: ["Failed to start node shutdown manager"]
      })
    })
  )

  it.effect("requests nothing when nothing is configured", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* build(config()), { active: false, locks: 0, locksAfter: 0, errors: [] })
    })
  )
})
