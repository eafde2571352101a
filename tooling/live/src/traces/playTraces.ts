import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type PlayedTrace, playTrace } from "./playTrace.ts"

/** The folder holds no recordings, or no driver. */
export class NoTraces extends Schema.TaggedError<NoTraces>()("NoTraces", { message: Schema.String }) {}

/** Each takes minutes, in which little happens. */
const AT_A_TIME = 2
/** Where the passes fall is chance, and so is what a busy machine does in between: a recording that differs is played once more. */
const TRIES = 2

/** A recording and how each of its plays came out, in order. */
export interface PlayedRecording {
  readonly name: string
  readonly agreements: ReadonlyArray<boolean>
}

const namesOf = (all: ReadonlyArray<PlayedRecording>): string =>
  all.length === 0 ? "" : `: ${all.map(({ name }) => name).join(", ")}`

/** What all plays say: a recording that differed once and agreed once is neither in agreement nor different. */
export const outcomeOf = (all: ReadonlyArray<PlayedRecording>) => {
  const agree = all.filter(({ agreements }) => agreements.every(Boolean))
  const differ = all.filter(({ agreements }) => !agreements.includes(true))
  const vary = all.filter((played) => !agree.includes(played) && !differ.includes(played))
  const counts = `${agree.length} of ${all.length} recordings agree`
  return {
    differ: differ.map(({ name }) => name),
    vary: vary.map(({ name }) => name),
    summary: `${counts}, ${vary.length} differed once and agreed once${namesOf(vary)}, ${differ.length} differ${namesOf(differ)}`
  }
}

const namesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(join(folder, "driver.mjs")) && existsSync(join(folder, "scenarios"))
    ? readdirSync(folder)
        .filter((file) => /^\d+.*\.json$/.test(file) && existsSync(join(folder, "scenarios", file)))
        .map((file) => file.replace(/\.json$/, ""))
        .sort()
    : []

/** Plays all recordings of a folder live. */
export const playTraces = Effect.fnUntraced(function* (path: string, tell: (played: PlayedTrace) => void) {
  const folder = resolve(path)
  const names = namesIn(folder)
  if (names.length === 0)
    return yield* new NoTraces({ message: `${path}: no recordings with scenarios/ and driver.mjs` })
  return yield* Effect.forEach(
    names,
    (name) =>
      Effect.gen(function* () {
        const agreements: Array<boolean> = []
        while (agreements.length < TRIES && !agreements.includes(true)) {
          const played = yield* playTrace(folder, name)
          tell(played)
          agreements.push(played.agrees)
        }
        const recording: PlayedRecording = { name, agreements }
        return recording
      }),
    { concurrency: AT_A_TIME }
  )
})
