import {
  Cluster,
  type Connection,
  EventRecorder,
  fromConnection,
  LeaderElection,
  type LeaseLost,
  leaderElectionProblem
} from "@rollcall/cluster"
import { type InvalidInput, invalid } from "@rollcall/simulator/input"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { Host } from "../host/Host.ts"

export interface LeaderFlags {
  readonly "leader-elect": boolean
  readonly "leader-elect-lease-duration": number
  readonly "leader-elect-renew-deadline": number
  readonly "leader-elect-retry-period": number
  readonly "leader-elect-resource-name": string
  readonly "leader-elect-resource-namespace": string
}

const DIGITS = 32

/** 128 bits of chance, in hexadecimal. */
const uniqueText = Effect.map(
  Effect.all(Array.from({ length: DIGITS }, () => Random.nextIntBetween(0, 15))),
  (digits) => digits.map((digit) => digit.toString(16)).join("")
)

/**
 * Keeps a layer alive for ever; with `--leader-elect` only while its Lease is held. Fails when the Lease is lost: the process
 * must end then, as what it knows may be old.
 */
export const whileLeading = (
  flags: LeaderFlags,
  component: string,
  connection: Connection,
  layer: Layer.Layer<never, never, Timers>
): Effect.Effect<never, InvalidInput | LeaseLost, Host | Timers | Scope.Scope> =>
  Effect.gen(function* () {
    const work = Layer.launch(layer)
    if (!flags["leader-elect"]) return yield* work
    const times = {
      leaseDurationMs: flags["leader-elect-lease-duration"],
      renewDeadlineMs: flags["leader-elect-renew-deadline"],
      retryPeriodMs: flags["leader-elect-retry-period"]
    }
    const problem = leaderElectionProblem(times)
    if (problem !== undefined) return yield* invalid("command line", "--leader-elect-lease-duration", problem)
    const { hostname } = yield* Host
    const identity = `${hostname}_${yield* uniqueText}`
    const cluster = Layer.succeed(Cluster, fromConnection(connection))
    const recorder = yield* EventRecorder.make({ component }).pipe(Effect.provide(cluster))
    const options = {
      ...times,
      namespace: flags["leader-elect-resource-namespace"],
      name: flags["leader-elect-resource-name"],
      identity,
      releaseOnCancel: true,
      recorder
    }
    yield* Effect.logInfo("Waiting to lead").pipe(Effect.annotateLogs({ lease: options.name, identity }))
    const lead = Effect.andThen(Effect.logInfo("Leading").pipe(Effect.annotateLogs({ identity })), work)
    return yield* LeaderElection.run(options, lead).pipe(Effect.provide(cluster))
  })
