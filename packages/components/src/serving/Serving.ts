import type { Pod } from "@rollcall/api"
import { CurrentInformerFollower, CurrentQueueMeter, LeaderWatchDog } from "@rollcall/cluster"
import { CurrentPodListing, type PodListing } from "@rollcall/scheduler"
import type { HealthChecks } from "@rollcall/time"
import { type MetricSet, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { KnownController } from "../flags/controllerNames.ts"
import { controllerChecks } from "./controllerChecks.ts"
import type { Pages } from "./HealthServer.ts"
import { type InformerSync, makeInformerSync } from "./informerSync.ts"
import { podResourcesPage } from "./podResources.ts"
import { makeQueueMeter } from "./queueMetrics.ts"
import { schedulerChecks } from "./schedulerChecks.ts"
import { type SecureFlags, secureServing } from "./secure/secureServing.ts"
import { type ServingFlags, serveHealth } from "./serveHealth.ts"

export interface ServingShape {
  /** Observes the leader election of the component. */
  readonly watchDog: LeaderWatchDog
  /** Runs when the component becomes the leader, before it starts its work. */
  readonly onLeading: Effect.Effect<void>
}

interface ServingOptions {
  /** The name of the program: `kube-scheduler`. */
  readonly component: string
  /** Whether the component runs leader election. */
  readonly electsLeader: boolean
  readonly metrics: MetricSet
  readonly pages: Pages
}

export interface ManagerServingOptions extends ServingOptions {
  readonly knownControllers: ReadonlyArray<KnownController>
  readonly isEnabled: (controller: string) => boolean
}

interface CheckInputs {
  /** Undefined if the component elects no leader. */
  readonly watchDog: LeaderWatchDog | undefined
  readonly now: () => number
  readonly informers: InformerSync
}

interface ComponentChecks {
  readonly all: HealthChecks
  /** Runs when the component becomes the leader. */
  readonly onLeading?: Effect.Effect<void>
}

const layerOf = (
  flags: ServingFlags & SecureFlags,
  { component, electsLeader, metrics, pages }: ServingOptions,
  checksOf: (inputs: CheckInputs) => ComponentChecks
) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { now } = yield* Timers
      const queueMeter = makeQueueMeter(yield* Effect.context<never>(), now)
      const watchDog = new LeaderWatchDog()
      const informers = makeInformerSync()
      const { all, onLeading = Effect.void } = checksOf({
        watchDog: electsLeader ? watchDog : undefined,
        now,
        informers
      })
      const collect = () => {
        queueMeter.collect()
        return []
      }
      const secure = flags["secure-port"] === 0 ? {} : { secure: yield* secureServing(flags, component) }
      yield* serveHealth(flags, all, { collect, metrics, pages, ...secure })
      return Context.make(Serving, { watchDog, onLeading }).pipe(
        Context.add(CurrentQueueMeter, queueMeter),
        Context.add(CurrentInformerFollower, informers.follow)
      )
    })
  )

/** Serves health, metrics and pages of a component at the address of its flags, and counts its queues and informers. */
export class Serving extends Context.Service<Serving, ServingShape>()("@rollcall/components/Serving") {
  static readonly layerManager = (flags: ServingFlags & SecureFlags, options: ManagerServingOptions) =>
    layerOf(flags, options, (inputs) => {
      const { all, started } = controllerChecks({ ...inputs, ...options, manager: options.component })
      return { all, onLeading: started }
    })

  static readonly layerScheduler = (flags: ServingFlags & SecureFlags, options: ServingOptions) => {
    let pods: () => ReadonlyArray<Pod> = () => []
    const listing: PodListing = (list) => {
      pods = list
    }
    const pages = { ...options.pages, "/metrics/resources": () => podResourcesPage(pods()) }
    const serving = layerOf(flags, { ...options, pages }, (inputs) => ({ all: schedulerChecks(inputs) }))
    return Layer.merge(serving, Layer.succeed(CurrentPodListing, listing))
  }
}
