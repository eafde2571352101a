export type ProbeKind = "startup" | "readiness" | "liveness"

/**
 * When the checks of a modelled probe pass and when they fail. The outcome changes to the opposite at each of the times
 * `changesAtMs`, which are in milliseconds since the container's start.
 */
export interface ProbeOutcome {
  readonly passesFirst: boolean
  /** Ascending. */
  readonly changesAtMs: ReadonlyArray<number>
  /** How checks fail; default `unhealthy`. */
  readonly failure?: ProbeFailure
  /** Whether HTTP checks that pass are answered with a redirect to another host, of which the kubelet warns. */
  readonly redirects?: boolean
  /** The body of that answer; empty by default. */
  readonly redirectBody?: string
}

/** How a check fails: the container answers that it is not healthy, nothing listens there, or no answer comes in time. */
export type ProbeFailure = (typeof probeFailures)[number]
export const probeFailures = ["unhealthy", "refused", "timeout"] as const

/** The outcomes of the checks of one run of a container. An absent probe passes. */
export type ProbeOutcomes = Readonly<Partial<Record<ProbeKind, ProbeOutcome>>>

/** Whether the checks of probes pass now, of those that look at files which commands have changed. */
export type SeenProbes = Readonly<Partial<Record<ProbeKind, boolean>>>

/** The outcome of a probe that always passes. */
export const passing: ProbeOutcome = { passesFirst: true, changesAtMs: [] }

/** Whether a check at this time passes. */
export const passesAt = ({ passesFirst, changesAtMs }: ProbeOutcome, sinceStartMs: number): boolean => {
  let passes = passesFirst
  for (const changeMs of changesAtMs) {
    if (changeMs > sinceStartMs) break
    passes = !passes
  }
  return passes
}

/** Returns the outcome that is `before` until a time, and `after` from then on. */
export const changedAt = (before: ProbeOutcome, after: ProbeOutcome, sinceStartMs: number): ProbeOutcome => {
  const passed = before.changesAtMs.filter((changeMs) => changeMs < sinceStartMs)
  const passes = passesAt(after, sinceStartMs)
  const turns = passesAt(before, sinceStartMs - 1) === passes ? [] : [sinceStartMs]
  const coming = after.changesAtMs.filter((changeMs) => changeMs > sinceStartMs)
  return { ...after, passesFirst: before.passesFirst, changesAtMs: [...passed, ...turns, ...coming] }
}

/** Returns the next time at which the outcome changes, or undefined if it stays. */
export const nextChange = ({ changesAtMs }: ProbeOutcome, sinceStartMs: number): number | undefined =>
  changesAtMs.find((changeMs) => changeMs > sinceStartMs)
