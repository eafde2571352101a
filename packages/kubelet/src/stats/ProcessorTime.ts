/** Returns the core-nanoseconds that a container has used since its start, if it uses so many nanocores now. */
export type CountProcessorTime = (container: string, startedMs: number, nanoCores: number) => number

interface Count {
  readonly startedMs: number
  readonly atMs: number
  readonly coreNanoSeconds: number
}

/** Counts from the start, or on from an earlier reading of the same run. A counter never falls. */
const countOn = (known: Count | undefined, startedMs: number, nanoCores: number, nowMs: number): number => {
  const isSameRun = known?.startedMs === startedMs
  const ranMs = nowMs - (isSameRun ? known.atMs : startedMs)
  return (isSameRun ? known.coreNanoSeconds : 0) + (nanoCores * Math.max(0, ranMs)) / 1000
}

/**
 * The processor time of the containers of a kubelet. It is counted when it is read, with what a container uses then: the
 * rate between two readings is that of the later one, which is what a metrics server computes from them.
 */
export class ProcessorTime {
  private counts: ReadonlyMap<string, Count> = new Map()

  /** Begins a reading, and forgets the containers that the reading before did not ask for. */
  read(nowMs: number): CountProcessorTime {
    const before = this.counts
    const next = new Map<string, Count>()
    this.counts = next
    return (container, startedMs, nanoCores) => {
      const coreNanoSeconds = countOn(before.get(container), startedMs, nanoCores, nowMs)
      next.set(container, { startedMs, atMs: nowMs, coreNanoSeconds })
      return coreNanoSeconds
    }
  }
}
