import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type Body, bodies } from "./bodies.ts"
import { makeTarget, type Outcome, type Request } from "./target.ts"

const FROM = 8000
const GROWTH = 4
/** A body is not larger than a server accepts, and a run that takes longer than this is not followed by a larger one. */
const MAX_BYTES = 3 * 1024 * 1024
const TOO_LONG_MS = 1000
/** Above this exponent of growth from the second size to the third, a cost counts as more than linear. */
const LINEAR = 1.35
/** Below this a figure is noise. */
const NOISE_MS = 8
/** Nothing else is served while the event loop is held. */
const MOST_HELD_MS = 250

type Ask = (request: Request) => Promise<Outcome>

interface Sample {
  readonly bytes: number
  readonly outcome: Outcome
}

const bytesOf = ({ body = "", path }: Request): number => body.length + path.length

const sample = async (ask: Ask, body: Body, size: number): Promise<Sample | undefined> => {
  const request = body.request(size)
  if (bytesOf(request) > MAX_BYTES) return undefined
  let best: Outcome | undefined
  for (let round = 0; round < 2; round++) {
    for (const earlier of body.before?.(size) ?? []) await ask(earlier)
    const outcome = await ask(request)
    if (best === undefined || outcome.ms < best.ms) best = outcome
    if (outcome.ms > TOO_LONG_MS) break
  }
  return best === undefined ? undefined : { bytes: bytesOf(request), outcome: best }
}

/** How the time grows with the size: 1 is a straight line. */
const exponent = (first: Sample, second: Sample): number =>
  Math.log(Math.max(second.outcome.ms, NOISE_MS) / Math.max(first.outcome.ms, NOISE_MS)) / Math.log(GROWTH)

/** The smallest size of a body whose largest is still accepted. */
const smallest = ({ from = FROM, request }: Body): number => {
  const largest = bytesOf(request(from)) * GROWTH ** 2
  let size = largest <= MAX_BYTES ? from : Math.max(1, Math.floor((from * MAX_BYTES) / largest))
  // Larger numbers have more digits.
  while (size > 1 && bytesOf(request(size * GROWTH ** 2)) > MAX_BYTES) size = Math.floor(size * 0.95)
  return size
}

const measured = async (ask: Ask, body: Body): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  const from = smallest(body)
  for (let step = 0; step < 3; step++) {
    const made = await sample(ask, body, from * GROWTH ** step)
    if (made === undefined) break
    samples.push(made)
    if (made.outcome.ms > TOO_LONG_MS) break
  }
  return samples
}

const line = (name: string, samples: ReadonlyArray<Sample>): string => {
  const cells = samples.map(({ bytes, outcome }) =>
    `${(bytes / 1024).toFixed(0).padStart(6)} KiB ${outcome.ms.toFixed(1).padStart(8)} ms`.padEnd(24)
  )
  const [last, before] = samples.toReversed()
  const growth = last !== undefined && before !== undefined ? exponent(before, last) : 0
  const code = last?.outcome.code ?? 0
  const heldMs = last?.outcome.heldMs ?? 0
  const verdict = `${growth > LINEAR ? "  MORE THAN LINEAR" : ""}${heldMs > MOST_HELD_MS ? "  HOLDS THE LOOP" : ""}${code >= 500 ? "  FAULT" : ""}`
  const held = `at most ${heldMs.toFixed(0).padStart(3)} ms at a time`
  return `  ${name.padEnd(44)} ${String(code).padStart(3)} ${cells.join(" ")}  n^${growth.toFixed(2)}  ${held}${verdict}\n`
}

/** Time against size, at three sizes each, of every kind of body that a client may send. `filter`: those whose names have it. */
export const benchCost = (filter = ""): Promise<void> =>
  Effect.gen(function* () {
    const ask = yield* makeTarget
    process.stdout.write("\nWhat one request costs by its size, and how long it holds the event loop\n")
    for (const body of bodies) {
      if (!body.name.includes(filter)) continue
      process.stdout.write(line(body.name, yield* Effect.promise(() => measured(ask, body))))
    }
  }).pipe(Effect.scoped, Effect.provide(layerWallClock()), Effect.runPromise)
