/** A value over time, as the list of its changes. Times are virtual milliseconds since the start. */
export interface Timeline<A> {
  /** Sets the value from a time on, which is not before that of an earlier call. */
  readonly set: (atMs: number, value: A) => void
  readonly now: () => A
  /** Returns the first time in [fromMs, toMs] at which the value passes the test, or undefined if it never does. */
  readonly firstWhere: (test: (value: A) => boolean, fromMs: number, toMs: number) => number | undefined
  /** Returns the changes as pairs of time and value. The first pair is the initial value, at -Infinity. */
  readonly changes: () => ReadonlyArray<readonly [number, A]>
}

/** Makes a timeline whose value is `initial` until the first change. */
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
