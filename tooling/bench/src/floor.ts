interface Entry {
  at: number
  readonly callback: () => void
}

/**
 * The least program that fires the same timers: a binary heap of callbacks, and a loop that takes the earliest, calls it and
 * puts it back one interval later. What a simulation costs beyond this is what it models. Returns the timers fired.
 */
export const bareHeapLoop = (machines: number, intervalMs: number, fires: number): number => {
  let fired = 0
  const callback = () => {
    fired++
  }
  const heap: Array<Entry> = Array.from({ length: machines }, (_, index) => ({
    at: (index * intervalMs) / machines,
    callback
  }))
  while (fired < fires) {
    const entry = heap[0] as Entry
    entry.callback()
    entry.at += intervalMs
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= machines) break
      if (child + 1 < machines && (heap[child + 1] as Entry).at < (heap[child] as Entry).at) child++
      const other = heap[child] as Entry
      if (entry.at <= other.at) break
      heap[index] = other
      index = child
    }
    heap[index] = entry
  }
  return fired
}
