/**
 * Work in steps: at each yield other requests may run, and anything read before may have changed. Plain work that could
 * block other requests is written in this form; its runner decides at which yields it pauses.
 */
export type Steps<A> = Generator<undefined, A, undefined>

/**
 * Short work is returned as its result, long work as steps to run. No JSON value has functions, so the two can be
 * distinguished.
 */
export type MaybeSteps<A> = A | Steps<A>

export const isSteps = <A>(work: MaybeSteps<A>): work is Steps<A> =>
  typeof work === "object" && work !== null && "next" in work && typeof work.next === "function"

/** Runs all steps without pausing. */
export const finished = <A>(work: MaybeSteps<A>): A => (isSteps(work) ? drained(work) : work)

const drained = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
