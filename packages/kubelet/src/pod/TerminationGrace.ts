/** The limits on a pod's grace period. */
export interface GraceInputs {
  /** The effective period, 0 before the termination has begun. */
  readonly previousSeconds: number
  /** `metadata.deletionGracePeriodSeconds`. */
  readonly deletionSeconds: number | undefined
  /** Requested by eviction, preemption or shutdown. */
  readonly overrideSeconds: number | undefined
  /** `spec.terminationGracePeriodSeconds`. */
  readonly specSeconds: number | undefined
}

export interface Grace {
  readonly seconds: number
  /** Whether a termination in progress got a shorter period. */
  readonly shortened: boolean
}

/**
 * The grace period to terminate with: the smaller of deletion and override, else the spec's; once begun it only
 * decreases; at least one second. Upstream: pkg/kubelet/pod_workers.go calculateEffectiveGracePeriod.
 */
export const effectiveGrace = (inputs: GraceInputs): Grace => {
  const { previousSeconds } = inputs
  let seconds = previousSeconds
  let overridden = false
  for (const candidate of [inputs.deletionSeconds, inputs.overrideSeconds]) {
    if (candidate === undefined || (seconds !== 0 && candidate >= seconds)) continue
    seconds = candidate
    overridden = true
  }
  if (!overridden && seconds === 0) seconds = inputs.specSeconds ?? 0
  seconds = Math.max(1, seconds)
  return { seconds, shortened: previousSeconds !== 0 && previousSeconds !== seconds }
}
