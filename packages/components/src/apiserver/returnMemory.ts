import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { loggedErrors, repeatPasses } from "@rollcall/time"
import * as Effect from "effect/Effect"

/** By how much the heap grows before garbage is looked for. V8 would let a small one quadruple; a server of thousands lives for days. */
const GROWTH_PERCENT = 100
/** A server that uses less of a processor than this is quiet: a pause of a tenth of a second is noticed by nobody. */
const QUIET_SHARE = 0.05
const EVERY_MS = 2000
/** Less than this is not worth a pause. */
const WORTH_BYTES = 32 * 1024 * 1024

type Collect = (how: { readonly type: "major"; readonly flavor: "last-resort" }) => void

/** The collector, which Node has, and does not show unless it is asked to. */
const collector = (): Collect => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as Collect
}

/** Whether so much of the heap is not in use that collecting it is worth a pause. */
export const isWorthwhile = (heapBytes: number, usedBytes: number): boolean =>
  heapBytes - usedBytes > Math.max(WORTH_BYTES, usedBytes / 2)

/**
 * Keeps the heap of a long-lived process small: it grows by less before it is collected, and whenever the process has been quiet what
 * a burst has left (the compilation of the program itself is the first) goes back to the system. Until the scope closes.
 */
export const returnMemory = Effect.gen(function* () {
  // V8 places objects among the old ones where earlier objects of the same line have lived long. What a request makes does not live
  // long, but of old objects only a full collection frees anything: each small one would have to copy all that these point to.
  setFlagsFromString("--no-allocation-site-pretenuring")
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const collect = collector()
  let usedBytes = 0
  let before = process.cpuUsage()
  let beforeNanos = process.hrtime.bigint()
  const look = Effect.sync(() => {
    const { system, user } = process.cpuUsage(before)
    const nowNanos = process.hrtime.bigint()
    const share = ((user + system) * 1000) / Number(nowNanos - beforeNanos)
    before = process.cpuUsage()
    beforeNanos = nowNanos
    if (share > QUIET_SHARE || !isWorthwhile(process.memoryUsage().heapTotal, usedBytes)) return
    collect({ type: "major", flavor: "last-resort" })
    usedBytes = process.memoryUsage().heapTotal
  })
  const handleError = yield* loggedErrors
  yield* Effect.forkScoped(repeatPasses({ handleError }, "memory", look, EVERY_MS))
})
