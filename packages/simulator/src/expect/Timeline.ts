/** A value over time: a list of its changes, each with its time (virtual ms since the start); before the first it is `initial`. */
export interface Timeline<A> {
  readonly set: (atMs: number, value: A) => void
  readonly now: () => A
  /** Returns the first time in [from, to] at which the test holds. */
  readonly firstWhere: (test: (value: A) => boolean, fromMs: number, toMs: number) => number | undefined
  readonly changes: () => ReadonlyArray<readonly [number, A]>
}

export const makeTimeline = <A>(initial: A): Timeline<A> => {
  const changes: Array<readonly [number, A]> = [[Number.NEGATIVE_INFINITY, initial]]
  let current = initial
  return {
    now: () => current,
    set: (atMs, value) => {
      if (value === current) return
      current = value
      // A value that is replaced at the same time was never observable.
      if (changes.length > 1 && changes.at(-1)?.[0] === atMs) changes.pop()
      if (changes.at(-1)?.[1] !== value) changes.push([atMs, value])
    },
    firstWhere: (test, fromMs, toMs) => {
      for (const [index, [at, value]] of changes.entries()) {
        const end = changes[index + 1]?.[0] ?? Number.POSITIVE_INFINITY
        if (at > toMs) return undefined
        if (end > fromMs && test(value)) return Math.max(at, fromMs)
      }
      return undefined
    },
    changes: () => changes
  }
}
