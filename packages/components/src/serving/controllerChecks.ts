import type { LeaderWatchDog } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { KnownController } from "../flags/controllerNames.ts"
import type { HealthCheck, HealthChecks } from "./HealthCheck.ts"
import type { InformerSync } from "./informerSync.ts"
import { runs } from "./managerMetrics.ts"

const well = () => undefined

/** How long a leader stays healthy after its Lease has expired. Upstream: controllermanager.go, electionChecker. */
const TOLERATED_MS = 20_000

export interface ElectionChecksOptions {
  /** Undefined: no leader election. */
  readonly watchDog: LeaderWatchDog | undefined
  readonly now: () => number
}

/**
 * Returns two checks with the same name. Health fails if a leader continues after its Lease has expired, as upstream; a component that cannot reach its
 * cluster is healthy. Readiness requires that the Lease can be read or renewed, without which the component cannot work.
 */
export const electionChecks = ({ now, watchDog }: ElectionChecksOptions) => {
  if (watchDog === undefined) return { health: [], readiness: [] }
  const expired = () => watchDog.expired(now(), TOLERATED_MS)
  const health: ReadonlyArray<HealthCheck> = [["leaderElection", expired]]
  const readiness: ReadonlyArray<HealthCheck> = [["leaderElection", () => expired() ?? watchDog.unanswered()]]
  return { health, readiness }
}

export interface ControllerChecksOptions extends ElectionChecksOptions {
  readonly manager: string
  readonly known: ReadonlyArray<KnownController>
  readonly isEnabled: (controller: string) => boolean
  readonly informers: InformerSync
}

/**
 * Returns the checks of a controller manager. Health: its leader election and, once it leads, that each of its controllers runs.
 * Readiness: that it reaches its cluster and, once it leads, that its informers have synced.
 * Upstream: staging/src/k8s.io/controller-manager/pkg/healthz, which has no readiness.
 */
export const controllerChecks = ({ informers, isEnabled, known, manager, ...election }: ControllerChecksOptions) => {
  const { health, readiness } = electionChecks(election)
  let running: ReadonlyArray<HealthCheck> = []
  const all: HealthChecks = (endpoint) =>
    endpoint === "readyz" ? [...readiness, ["informer-sync", informers.unsynced], ...running] : [...health, ...running]
  return {
    all,
    /** Called when the controllers start. */
    started: Effect.suspend(() => {
      const chosen = known.filter(({ here, name }) => here && isEnabled(name))
      running = chosen.map(({ name }) => [name, well] as const)
      const metered = chosen.flatMap(({ metric }) => metric ?? [])
      return Effect.forEach(metered, (name) => runs(manager, name), { discard: true })
    })
  }
}
