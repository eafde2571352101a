/**
 * Work in parts: where it yields, others may have the thread for a while, and whatever it read may have changed since. Plain work that
 * is long enough to stand in others' way is written so; what drives it decides at which of these places there is a pause.
 */
export type Steps<A> = Generator<undefined, A, undefined>

/** Short work is done when it is handed back, long work is yet to do. No value of JSON has functions, so that the two can be told. */
export type MaybeSteps<A> = A | Steps<A>

export const isSteps = <A>(work: MaybeSteps<A>): work is Steps<A> =>
  typeof work === "object" && work !== null && "next" in work && typeof work.next === "function"

/** Does all of it at once. */
export const finished = <A>(work: MaybeSteps<A>): A => (isSteps(work) ? drained(work) : work)

const drained = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
