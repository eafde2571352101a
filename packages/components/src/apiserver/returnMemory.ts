import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8"
import { loggedErrors, repeatPasses, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { GarbageWatch, heldBytes, mayGrow } from "./GarbageWatch.ts"

/** By how much the heap grows before garbage is looked for. V8 would let a small one quadruple; a server of thousands lives for days. */
const GROWTH_PERCENT = 100
const EVERY_MS = 2000
/** More than memory outside of the heap may grow between two collections. V8: src/heap/heap.h, kExternalAllocationSoftLimit (64 MiB). */
const MARK_FROM_BYTES = 72 * 1024 * 1024

/**
 * Has V8 look for garbage in steps, most of it beside the program. A collection that is asked for by `gc()` holds everything as long as
 * it takes: 200 ms and more, even of a small heap. The memory is never written to, so that the system never gives it.
 */
export const collectInSteps = (): void => {
  void new ArrayBuffer(MARK_FROM_BYTES)
}

const newSpaceBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0

/**
 * Keeps the memory of a long-lived process small: the heap grows by less before it is collected, and what a burst has left (the
 * compilation of the program itself is the first) goes back to the system once the process is not busy. Until the scope closes.
 */
export const returnMemory = Effect.gen(function* () {
  // V8 places objects among the old ones where earlier objects of the same line have lived long. What a request makes does not live
  // long, but of old objects only a full collection frees anything: each small one would have to copy all that these point to.
  setFlagsFromString("--no-allocation-site-pretenuring")
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const timers = yield* Timers
  const watch = new GarbageWatch()
  let before = process.cpuUsage()
  let beforeNanos = process.hrtime.bigint()
  const busyShare = () => {
    const { system, user } = process.cpuUsage(before)
    const nowNanos = process.hrtime.bigint()
    const share = ((user + system) * 1000) / Number(nowNanos - beforeNanos)
    before = process.cpuUsage()
    beforeNanos = nowNanos
    return share
  }
  const look = Effect.sync(() => {
    const { external_memory, total_heap_size } = getHeapStatistics()
    const share = busyShare()
    const newBytes = newSpaceBytes()
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow(newBytes, share) ? 2 : 1}`)
    const measure = watch.look(timers.now(), heldBytes(total_heap_size, newBytes, external_memory), share)
    if (measure === undefined) return
    // Has V8 follow a collection by another one that makes the heap small, whatever is allocated meanwhile.
    setFlagsFromString(measure === "collect" ? "--optimize-for-size" : "--no-optimize-for-size")
    if (measure === "collect") collectInSteps()
  })
  const handleError = yield* loggedErrors
  yield* Effect.forkScoped(repeatPasses({ handleError }, "memory", look, EVERY_MS))
})
