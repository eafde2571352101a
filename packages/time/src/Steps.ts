/**
 * Work as a generator: at each yield other requests may run, and anything read before may have changed. Work that could
 * block other requests for long (encoding a list of 10,000 objects) is written in this form; its runner, mostly `Turns`,
 * decides at which yields it pauses. The name of a function that returns steps ends in `InSteps` where a function of the
 * same name without that ending does the work in one piece.
 */
export type Steps<A> = Generator<Wait | undefined, A, undefined>

/** What steps yield that cannot go on until something outside has happened. `resume` is called once. */
export interface Wait {
  readonly start: (resume: () => void) => void
}

/** Steps that wait for a value: `start` calls `done` with it, at once or later. */
export const waitFor = function* <A>(start: (done: (value: A) => void) => void): Steps<A> {
  const arrived: Array<A> = []
  let resume: (() => void) | undefined
  start((value) => {
    if (arrived.length > 0) return
    arrived.push(value)
    resume?.()
  })
  while (arrived.length === 0) {
    yield {
      start: (next) => {
        if (arrived.length > 0) next()
        else resume = next
      }
    }
  }
  return arrived[0] as A
}

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
    if (step.value !== undefined) throw new Error("work that waits cannot be done in one piece")
  }
}

/** Returns steps that load a module when they first run, and have it at once from then on. */
export const lazily = <A>(load: () => Promise<A>): (() => Steps<A>) => {
  let loaded: { readonly module: A } | undefined
  return function* () {
    if (loaded !== undefined) return loaded.module
    const answer = yield* waitFor<() => A>((done) => {
      load().then(
        (module) => done(() => module),
        (error: unknown) =>
          done(() => {
            throw error
          })
      )
    })
    loaded = { module: answer() }
    return loaded.module
  }
}

/** Runs all steps without pausing, and waits where they wait. */
export const awaitSteps = async <A>(work: MaybeSteps<A>): Promise<A> => {
  if (!isSteps(work)) return work
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    const wait = step.value
    if (wait !== undefined) await new Promise<void>((resume) => wait.start(resume))
  }
}
