export type ProbeKind = "startup" | "readiness" | "liveness"

/**
 * The times, in milliseconds since the container's start, at which a passing check starts to fail, or the other way
 * round.
 */
export interface ProbeOutcome {
  readonly passesFirst: boolean
  /** Ascending. */
  readonly turnsAtMs: ReadonlyArray<number>
}

/** The outcomes of the checks of one run of a container. An absent probe passes. */
export type ProbeOutcomes = Readonly<Partial<Record<ProbeKind, ProbeOutcome>>>

export const passing: ProbeOutcome = { passesFirst: true, turnsAtMs: [] }

/** Whether a check at this time passes. */
export const passesAt = ({ passesFirst, turnsAtMs }: ProbeOutcome, sinceStartMs: number): boolean => {
  let passes = passesFirst
  for (const turnMs of turnsAtMs) {
    if (turnMs > sinceStartMs) break
    passes = !passes
  }
  return passes
}

/** The next time at which the outcome changes. */
export const nextTurn = ({ turnsAtMs }: ProbeOutcome, sinceStartMs: number): number | undefined =>
  turnsAtMs.find((turnMs) => turnMs > sinceStartMs)
