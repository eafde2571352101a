import * as Effect from "effect/Effect"
import type { KnownController } from "../flags/controllerNames.ts"
import type { HealthCheck } from "./HealthServer.ts"
import { runs } from "./managerMetrics.ts"

const well = () => undefined

/**
 * What a controller manager says of its health: that its election is well (a leader that is not ends by itself), and, once it
 * leads, that each of its controllers runs. Upstream: staging/src/k8s.io/controller-manager/pkg/healthz.
 */
export const controllerChecks = (
  manager: string,
  elects: boolean,
  known: ReadonlyArray<KnownController>,
  isEnabled: (controller: string) => boolean
) => {
  const election: ReadonlyArray<HealthCheck> = elects ? [["leaderElection", well]] : []
  let running: ReadonlyArray<HealthCheck> = []
  return {
    all: () => [...election, ...running],
    /** The controllers begin to run. */
    started: Effect.suspend(() => {
      const chosen = known.filter(({ here, name }) => here && isEnabled(name))
      running = chosen.map(({ name }) => [name, well] as const)
      const metered = chosen.flatMap(({ metric }) => metric ?? [])
      return Effect.forEach(metered, (name) => runs(manager, name), { discard: true })
    })
  }
}
