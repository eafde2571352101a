export type ProbeKind = "startup" | "readiness" | "liveness"

/** From when on, in milliseconds since the container's start, a check that was passing fails, or the other way round. */
export interface ProbeOutcome {
  readonly passesFirst: boolean
  /** Ascending. */
  readonly turnsAtMs: ReadonlyArray<number>
}

/** How the checks of one run of a container come out. What is absent passes. */
export type ProbeOutcomes = Readonly<Partial<Record<ProbeKind, ProbeOutcome>>>

export const passing: ProbeOutcome = { passesFirst: true, turnsAtMs: [] }

/** Does a check made at this time pass? */
export const passesAt = ({ passesFirst, turnsAtMs }: ProbeOutcome, sinceStartMs: number): boolean => {
  let passes = passesFirst
  for (const turnMs of turnsAtMs) {
    if (turnMs > sinceStartMs) break
    passes = !passes
  }
  return passes
}

/** When the checks come out differently than at this time. */
export const nextTurn = ({ turnsAtMs }: ProbeOutcome, sinceStartMs: number): number | undefined =>
  turnsAtMs.find((turnMs) => turnMs > sinceStartMs)
