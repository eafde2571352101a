import { CurrentInformerFollower, CurrentQueueMeter, LeaderWatchDog } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { KnownController } from "../flags/controllerNames.ts"
import { controllerChecks } from "./controllerChecks.ts"
import type { HealthChecks } from "./HealthCheck.ts"
import type { Pages } from "./HealthServer.ts"
import { type InformerSync, makeInformerSync } from "./informerSync.ts"
import { makeQueueMeter } from "./queueMetrics.ts"
import { schedulerChecks } from "./schedulerChecks.ts"
import { type ServingFlags, serveHealth } from "./serveHealth.ts"

export interface ServingShape {
  /** Observes the leader election of the component. */
  readonly watchDog: LeaderWatchDog
  /** Runs when the component becomes the leader, before it starts its work. */
  readonly onLeading: Effect.Effect<void>
}

interface Served {
  readonly elects: boolean
  readonly pages: Pages
}

export interface ManagerServed extends Served {
  readonly manager: string
  readonly known: ReadonlyArray<KnownController>
  readonly isEnabled: (controller: string) => boolean
}

interface Looked {
  /** Undefined: no leader election. */
  readonly watchDog: LeaderWatchDog | undefined
  readonly now: () => number
  readonly informers: InformerSync
}

interface Checks {
  readonly all: HealthChecks
  readonly onLeading?: Effect.Effect<void>
}

const layerOf = (flags: ServingFlags, { elects, pages }: Served, checksOf: (looked: Looked) => Checks) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { now } = yield* Timers
      const queueMeter = makeQueueMeter(yield* Effect.context<never>(), now)
      const watchDog = new LeaderWatchDog()
      const informers = makeInformerSync()
      const { all, onLeading = Effect.void } = checksOf({ watchDog: elects ? watchDog : undefined, now, informers })
      const collect = () => {
        queueMeter.collect()
        return []
      }
      yield* serveHealth(flags, all, { collect, pages })
      return Context.make(Serving, { watchDog, onLeading }).pipe(
        Context.add(CurrentQueueMeter, queueMeter),
        Context.add(CurrentInformerFollower, informers.follow)
      )
    })
  )

/** Serves health, metrics and pages of a component at the address of its flags, and counts its queues and informers. */
export class Serving extends Context.Service<Serving, ServingShape>()("@rollcall/components/Serving") {
  static readonly layerManager = (flags: ServingFlags, served: ManagerServed) =>
    layerOf(flags, served, (looked) => {
      const { all, started } = controllerChecks({ ...looked, ...served })
      return { all, onLeading: started }
    })

  static readonly layerScheduler = (flags: ServingFlags, served: Served) =>
    layerOf(flags, served, (looked) => ({ all: schedulerChecks(looked) }))
}
