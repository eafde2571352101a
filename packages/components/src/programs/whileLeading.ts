import { type Cluster, EventRecorder, LeaderElection, type LeaseLost, leaderElectionProblem } from "@rollcall/cluster"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { Timers } from "@rollcall/time"
import { nextRng, toWord, uuidV4 } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Host } from "../host/Host.ts"
import { recordLeadership } from "../serving/managerMetrics.ts"
import { Serving } from "../serving/Serving.ts"
import type { ElectionSettings } from "./electionConfig.ts"

const uuid = Effect.map(nextRng, (rng) => uuidV4(() => toWord(rng())))

export interface LeadershipOptions {
  /** The name of the component in its User-Agent, Events and metrics. */
  readonly component: string
  /**
   * Whether the Lease is released when the process is told to end. kube-scheduler releases it; the controller managers
   * let it expire, because their last writes may still be in progress. Upstream: ReleaseOnCancel.
   */
  readonly releaseOnExit: boolean
}

/**
 * Keeps a layer alive forever, or with `--leader-elect` while its Lease is held. Fails when the Lease is lost: the
 * process must exit then, because its caches may be stale.
 */
export const whileLeading = <R>(
  election: ElectionSettings,
  { component, releaseOnExit }: LeadershipOptions,
  layer: Layer.Layer<never, never, R>
): Effect.Effect<never, InvalidInput | LeaseLost, Cluster | Host | Serving | Timers | Scope.Scope | R> =>
  Effect.gen(function* () {
    const { onLeading, watchDog } = yield* Serving
    const work = Effect.andThen(onLeading, Layer.launch(layer))
    const { leaderElect, leaseDurationMs, renewDeadlineMs, resourceName, resourceNamespace, retryPeriodMs } = election
    if (!leaderElect) return yield* work
    const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs }
    const problem = leaderElectionProblem(times)
    if (problem !== undefined) return yield* invalid("command line", "--leader-elect-lease-duration", problem)
    const { hostname } = yield* Host
    const identity = `${hostname}_${yield* uuid}`
    const recorder = yield* EventRecorder.make({ component })
    const options = {
      ...times,
      namespace: resourceNamespace,
      name: resourceName,
      identity,
      releaseOnCancel: releaseOnExit,
      recorder,
      watchDog
    }
    yield* recordLeadership(options.name, false)
    const lead = Effect.andThen(recordLeadership(options.name, true), work)
    return yield* LeaderElection.run(options, lead)
  })
