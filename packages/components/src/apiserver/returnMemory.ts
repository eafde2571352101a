import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8"
import { loggedErrors, repeatPasses, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { GarbageWatch, heldBytes, mayGrow } from "./GarbageWatch.ts"

/**
 * The growth of the heap before a collection. V8 would let a small heap quadruple; a server for thousands of nodes runs
 * for days.
 */
const GROWTH_PERCENT = 100
const CHECK_PERIOD_MS = 2000
/** The time from the start to the first check: most of the work that follows the start is done. */
const FIRST_CHECK_MS = 250
/**
 * More than external memory can grow between two collections. V8: src/heap/heap.h, kExternalAllocationSoftLimit (64
 * MiB).
 */
const MARK_FROM_BYTES = 72 * 1024 * 1024

/**
 * Makes V8 collect garbage incrementally and mostly concurrently. `gc()` would block for as long as it takes: 200 ms
 * and more, even with a small heap. The buffer that triggers it is never written to, so the system never allocates its
 * pages.
 */
export const collectInSteps = (): void => {
  void new ArrayBuffer(MARK_FROM_BYTES)
}

const newSpaceBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0

/**
 * Keeps the memory of a long-lived process small: the heap grows less before it is collected, and the memory of a burst
 * (the compilation of the program itself is the first) returns to the system once the process is idle. Active until the
 * scope closes.
 */
export const returnMemory = Effect.gen(function* () {
  // V8 allocates objects in old space if earlier objects from the same allocation site lived long. Objects of a request do not live
  // long, but only a full collection frees old objects, and each minor one would copy everything that they refer to.
  setFlagsFromString("--no-allocation-site-pretenuring")
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const timers = yield* Timers
  const garbageWatch = new GarbageWatch({ collectsStart: true })
  let lastUsage = process.cpuUsage()
  let lastNanos = process.hrtime.bigint()
  /** The share of a processor that this process has used since the last call. */
  const busyShare = () => {
    const { system, user } = process.cpuUsage(lastUsage)
    const nowNanos = process.hrtime.bigint()
    const share = ((user + system) * 1000) / Number(nowNanos - lastNanos)
    lastUsage = process.cpuUsage()
    lastNanos = nowNanos
    return share
  }
  const checkMemory = Effect.sync(() => {
    const { external_memory, total_heap_size } = getHeapStatistics()
    const share = busyShare()
    const newBytes = newSpaceBytes()
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow(newBytes, share) ? 2 : 1}`)
    const held = heldBytes(total_heap_size, newBytes, external_memory)
    const action = garbageWatch.check(timers.now(), held, share, newBytes)
    if (action === undefined) return
    if (action === "shrink") {
      collectInSteps()
      return
    }
    // Makes V8 follow a collection by a second one that shrinks the heap, despite allocations in between.
    setFlagsFromString(action === "collect" ? "--optimize-for-size" : "--no-optimize-for-size")
    if (action === "collect") collectInSteps()
  })
  const handleError = yield* loggedErrors
  const checks = repeatPasses({ handleError }, "memory", checkMemory, CHECK_PERIOD_MS)
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(FIRST_CHECK_MS), checks))
})
