/**
 * How long kubelets may cache Secrets and ConfigMaps in clusters of a size. The ranges overlap, so that a cluster at a
 * boundary does not go back and forth. Upstream: pkg/controller/ttl/ttl_controller.go, ttlBoundaries.
 */
const steps: ReadonlyArray<{ readonly min: number; readonly max: number; readonly seconds: number }> = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 }
]

/** Returns the step for a number of nodes, given the one before. */
export const nextStep = (before: number, nodes: number): number => {
  let step = before
  while (nodes > (steps[step]?.max ?? nodes)) step++
  while (nodes < (steps[step]?.min ?? 0)) step--
  return step
}

/** Returns the seconds of a step. */
export const secondsOf = (step: number): number => steps[step]?.seconds ?? 0
