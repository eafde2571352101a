import type { LeaderWatchDog } from "@rollcall/cluster"
import type { HealthCheck, HealthChecks } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { KnownController } from "../flags/controllerNames.ts"
import type { InformerSync } from "./informerSync.ts"
import { recordRunning } from "./managerMetrics.ts"

const noProblem = () => undefined

/** How long a leader stays healthy after its Lease has expired. Upstream: controllermanager.go, electionChecker. */
const EXPIRED_LEASE_TOLERANCE_MS = 20_000

export interface ElectionChecksOptions {
  /** Undefined if the component elects no leader. */
  readonly watchDog: LeaderWatchDog | undefined
  readonly now: () => number
}

/**
 * Returns two checks with the same name. Health fails if a leader continues after its Lease has expired, as upstream; a
 * component that cannot reach its cluster is healthy. Readiness requires that the Lease can be read or renewed, without
 * which the component cannot work.
 */
export const electionChecks = ({ now, watchDog }: ElectionChecksOptions) => {
  if (watchDog === undefined) return { health: [], readiness: [] }
  const expired = () => watchDog.expired(now(), EXPIRED_LEASE_TOLERANCE_MS)
  const health: ReadonlyArray<HealthCheck> = [{ name: "leaderElection", problem: expired }]
  const readiness: ReadonlyArray<HealthCheck> = [
    { name: "leaderElection", problem: () => expired() ?? watchDog.unanswered() }
  ]
  return { health, readiness }
}

export interface ControllerChecksOptions extends ElectionChecksOptions {
  readonly manager: string
  readonly knownControllers: ReadonlyArray<KnownController>
  readonly isEnabled: (controller: string) => boolean
  readonly informers: InformerSync
}

/**
 * Returns the checks of a controller manager. Health: its leader election and, once it leads, that each of its
 * controllers runs. Readiness: that it reaches its cluster and, once it leads, that its informers have synced.
 * Upstream: staging/src/k8s.io/controller-manager/pkg/healthz, which has no readiness.
 */
export const controllerChecks = ({
  informers,
  isEnabled,
  knownControllers,
  manager,
  ...election
}: ControllerChecksOptions) => {
  const { health, readiness } = electionChecks(election)
  let runningChecks: ReadonlyArray<HealthCheck> = []
  const all: HealthChecks = (endpoint) =>
    endpoint === "readyz"
      ? [...readiness, { name: "informer-sync", problem: informers.unsynced }, ...runningChecks]
      : [...health, ...runningChecks]
  return {
    all,
    /** Called when the controllers start. */
    started: Effect.suspend(() => {
      const enabledControllers = knownControllers.filter(({ supported, name }) => supported && isEnabled(name))
      runningChecks = enabledControllers.map(({ name }) => ({ name, problem: noProblem }))
      const metricNames = enabledControllers.flatMap(({ metric }) => metric ?? [])
      return Effect.forEach(metricNames, (name) => recordRunning(manager, name), { discard: true })
    })
  }
}
