/**
 * Work as a generator: at each yield other requests may run, and anything read before may have changed. Work that could
 * block other requests for long (encoding a list of 10,000 objects) is written in this form; its runner, mostly `Turns`,
 * decides at which yields it pauses. The name of a function that returns steps ends in `InSteps` where a function of the
 * same name without that ending does the work in one piece.
 */
export type Steps<A> = Generator<undefined, A, undefined>

/**
 * The result of short work, or the steps of long work, which the caller must run to get the result. No JSON value has
 * functions, so the two can be distinguished.
 */
export type MaybeSteps<A> = A | Steps<A>

/** Whether the work is steps, and not a result. */
export const isSteps = <A>(work: MaybeSteps<A>): work is Steps<A> =>
  typeof work === "object" && work !== null && "next" in work && typeof work.next === "function"

/** Runs all steps without pausing and returns their result; short work is that result already. */
export const runAllSteps = <A>(work: MaybeSteps<A>): A => {
  if (!isSteps(work)) return work
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
