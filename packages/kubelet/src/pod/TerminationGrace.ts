/** The values that limit a pod's grace period, in seconds. */
export interface GraceInputs {
  /** The effective period of a termination in progress; 0 before it has begun. */
  readonly previousSeconds: number
  /** `metadata.deletionGracePeriodSeconds`. */
  readonly deletionSeconds: number | undefined
  /** The period that eviction, preemption or shutdown requests. */
  readonly overrideSeconds: number | undefined
  /** `spec.terminationGracePeriodSeconds`. */
  readonly specSeconds: number | undefined
}

/** The result of `effectiveGrace`. */
export interface Grace {
  readonly seconds: number
  /** Whether the period of a termination in progress has changed, so that the runtime must be told again. */
  readonly shortened: boolean
}

/**
 * Returns the grace period to terminate with: the smaller of deletion and override, otherwise the spec's. It only
 * decreases once the termination has begun, and is at least one second. Upstream: pkg/kubelet/pod_workers.go
 * calculateEffectiveGracePeriod.
 */
export const effectiveGrace = (inputs: GraceInputs): Grace => {
  const { previousSeconds } = inputs
  let seconds = previousSeconds
  let overridden = false
  for (const candidate of [inputs.deletionSeconds, inputs.overrideSeconds]) {
    if (candidate === undefined || (seconds !== 0 && candidate >= seconds)) continue
    seconds = Number(candidate)
    overridden = true
  }
  if (!overridden && seconds === 0) seconds = Number(inputs.specSeconds ?? 0)
  seconds = Math.max(1, seconds)
  return { seconds, shortened: previousSeconds !== 0 && previousSeconds !== seconds }
}
