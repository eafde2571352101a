/** What bounds the time a pod has to end. */
export interface GraceInputs {
  /** The period in force, 0 while termination has not begun. */
  readonly previousSeconds: number
  /** `metadata.deletionGracePeriodSeconds`. */
  readonly deletionSeconds: number | undefined
  /** Asked for by eviction, preemption or shutdown. */
  readonly overrideSeconds: number | undefined
  /** `spec.terminationGracePeriodSeconds`. */
  readonly specSeconds: number | undefined
}

export interface Grace {
  readonly seconds: number
  /** A termination under way got a shorter period. */
  readonly shortened: boolean
}

/**
 * The grace period to terminate with: the smallest of deletion and override, else the spec's; once begun it only shrinks;
 * never under one second. Upstream: pkg/kubelet/pod_workers.go calculateEffectiveGracePeriod.
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
