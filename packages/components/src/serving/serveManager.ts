import { LeaderWatchDog } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { KnownController } from "../flags/controllerNames.ts"
import { controllerChecks } from "./controllerChecks.ts"
import type { Pages } from "./HealthServer.ts"
import { makeInformerSync } from "./informerSync.ts"
import { makeQueueMeter } from "./queueMetrics.ts"
import { type ServingFlags, serveHealth } from "./serveHealth.ts"

export interface ManagerServed {
  readonly manager: string
  readonly elects: boolean
  readonly known: ReadonlyArray<KnownController>
  readonly isEnabled: (controller: string) => boolean
  readonly pages: Pages
}

/** Serves health, metrics and pages of a controller manager where its flags say; answers what its controllers and election tell. */
export const serveManager = Effect.fnUntraced(function* (
  flags: ServingFlags,
  { elects, isEnabled, known, manager, pages }: ManagerServed
) {
  const { now } = yield* Timers
  const queueMeter = makeQueueMeter(yield* Effect.context<never>(), now)
  const watchDog = new LeaderWatchDog()
  const informers = makeInformerSync()
  const checks = controllerChecks({
    manager,
    watchDog: elects ? watchDog : undefined,
    now,
    known,
    isEnabled,
    informers
  })
  const collect = () => {
    queueMeter.collect()
    return ""
  }
  yield* serveHealth(flags, checks.all, { collect, pages })
  return { queueMeter, watchDog, informers, onLeading: checks.started }
})
