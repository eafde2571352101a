/**
 * Does one thing after the other, each ended by its callback, at once or later, and then `done`. Steps that end at once are a
 * loop, not a recursion, so that their number does not matter to the stack. A step that passes false ends the row.
 */
export const inTurn = <A>(
  items: ReadonlyArray<A>,
  step: (item: A, next: (proceed: boolean) => void) => void,
  done: () => void
): void => {
  let index = 0
  const run = () => {
    for (;;) {
      if (index >= items.length) return done()
      const progress: { ended: boolean | undefined; waiting: boolean } = { ended: undefined, waiting: false }
      step(items[index++] as A, (proceed) => {
        progress.ended = proceed
        if (!progress.waiting) return
        if (proceed) run()
        else done()
      })
      if (progress.ended === undefined) {
        progress.waiting = true
        return
      }
      if (!progress.ended) return done()
    }
  }
  run()
}
