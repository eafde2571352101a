import {
  Cluster,
  type Connection,
  EventRecorder,
  fromConnection,
  LeaderElection,
  type LeaderWatchDog,
  type LeaseLost,
  leaderElectionProblem
} from "@rollcall/cluster"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { Host } from "../host/Host.ts"
import { leads } from "../serving/managerMetrics.ts"

export interface LeaderFlags {
  readonly "leader-elect": boolean
  readonly "leader-elect-lease-duration": number
  readonly "leader-elect-renew-deadline": number
  readonly "leader-elect-retry-period": number
  readonly "leader-elect-resource-name": string
  readonly "leader-elect-resource-namespace": string
}

/** A version 4 UUID: what is not fixed is chance. */
const uuid = Effect.map(
  Effect.forEach("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx", (letter) =>
    Effect.map(Random.nextIntBetween(0, 15), (digit) =>
      letter === "x" ? digit.toString(16) : letter === "y" ? (8 + (digit % 4)).toString(16) : letter
    )
  ),
  (letters) => letters.join("")
)

export interface LeadingOptions {
  /** Also the name of its part in Events and metrics. */
  readonly component: string
  readonly connection: Connection
  /**
   * Gives the Lease up when the process is told to end. kube-scheduler does; the controller managers let it run out, because what
   * they have begun may go on for a moment. Upstream: ReleaseOnCancel.
   */
  readonly releaseOnExit: boolean
  /** What to do when it begins to lead, before it works. */
  readonly onLeading?: Effect.Effect<void>
  /** Told how the election stands. */
  readonly watchDog: LeaderWatchDog
}

/**
 * Keeps a layer alive for ever; with `--leader-elect` only while its Lease is held. Fails when the Lease is lost: the process
 * must end then, as what it knows may be old.
 */
export const whileLeading = (
  flags: LeaderFlags,
  { component, connection, onLeading, releaseOnExit, watchDog }: LeadingOptions,
  layer: Layer.Layer<never, never, Timers>
): Effect.Effect<never, InvalidInput | LeaseLost, Host | Timers | Scope.Scope> =>
  Effect.gen(function* () {
    const work = Effect.andThen(onLeading ?? Effect.void, Layer.launch(layer))
    if (!flags["leader-elect"]) return yield* work
    const times = {
      leaseDurationMs: flags["leader-elect-lease-duration"],
      renewDeadlineMs: flags["leader-elect-renew-deadline"],
      retryPeriodMs: flags["leader-elect-retry-period"]
    }
    const problem = leaderElectionProblem(times)
    if (problem !== undefined) return yield* invalid("command line", "--leader-elect-lease-duration", problem)
    const { hostname } = yield* Host
    const identity = `${hostname}_${yield* uuid}`
    const cluster = Layer.succeed(Cluster, fromConnection(connection))
    const recorder = yield* EventRecorder.make({ component }).pipe(Effect.provide(cluster))
    const options = {
      ...times,
      namespace: flags["leader-elect-resource-namespace"],
      name: flags["leader-elect-resource-name"],
      identity,
      releaseOnCancel: releaseOnExit,
      recorder,
      watchDog
    }
    yield* leads(options.name, false)
    const lead = Effect.andThen(leads(options.name, true), work)
    return yield* LeaderElection.run(options, lead).pipe(Effect.provide(cluster))
  })
