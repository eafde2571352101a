import type { ProbeKind, ProbeOutcome } from "../runtime/ProbeOutcomes.ts"
import type { ProbeTiming } from "./ProbePlan.ts"

/** How many checks of a probe have passed and failed. */
export interface ProbeCounts {
  readonly passed: number
  readonly failed: number
}

/**
 * Counts the checks of a probe up to `untilMs`, in milliseconds since the container's start. A startup probe ends with
 * the check that passes.
 */
export const probeCounts = (
  kind: ProbeKind,
  { firstMs, periodMs }: ProbeTiming,
  { changesAtMs, passesFirst }: ProbeOutcome,
  untilMs: number
): ProbeCounts => {
  const total = untilMs < firstMs ? 0 : Math.floor((untilMs - firstMs) / periodMs) + 1
  const before = (ms: number): number => (ms <= firstMs ? 0 : Math.min(total, Math.ceil((ms - firstMs) / periodMs)))
  let passed = 0
  let failed = 0
  let passes = passesFirst
  for (const changeMs of [...changesAtMs, Number.POSITIVE_INFINITY]) {
    const checks = before(changeMs) - passed - failed
    if (passes && checks > 0 && kind === "startup") return { passed: 1, failed }
    if (passes) passed += checks
    else failed += checks
    passes = !passes
  }
  return { passed, failed }
}
