import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type PlayedTrace, playTrace } from "./playTrace.ts"

/** The folder has no recordings, or no driver. */
export class NoTraces extends Schema.TaggedError<NoTraces>()("NoTraces", { message: Schema.String }) {}

/** The number of concurrent runs. Each takes minutes and little processor time. */
const CONCURRENT_RUNS = 2
/**
 * The phase of the controller's passes and the delays of a busy machine are random, so a run that differs is repeated
 * once.
 */
const MAX_RUNS = 2

/** A recording with the results of its runs, in order. */
export interface PlayedRecording {
  readonly name: string
  readonly agreements: ReadonlyArray<boolean>
}

const namesOf = (all: ReadonlyArray<PlayedRecording>): string =>
  all.length === 0 ? "" : `: ${all.map(({ name }) => name).join(", ")}`

/** Summarises all runs: a recording that differed once and agreed once counts as neither. */
export const outcomeOf = (all: ReadonlyArray<PlayedRecording>) => {
  const agree = all.filter(({ agreements }) => agreements.every(Boolean))
  const differ = all.filter(({ agreements }) => !agreements.includes(true))
  const varying = all.filter((played) => !agree.includes(played) && !differ.includes(played))
  const counts = `${agree.length} of ${all.length} recordings agree`
  return {
    differ: differ.map(({ name }) => name),
    varying: varying.map(({ name }) => name),
    summary: `${counts}, ${varying.length} differed once and agreed once${namesOf(varying)}, ${differ.length} differ${namesOf(differ)}`
  }
}

const namesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(join(folder, "driver.mjs")) && existsSync(join(folder, "scenarios"))
    ? readdirSync(folder)
        .filter((file) => /^\d+.*\.json$/.test(file) && existsSync(join(folder, "scenarios", file)))
        .map((file) => file.replace(/\.json$/, ""))
        .sort()
    : []

/** Runs all recordings of a folder live. */
export const playTraces = Effect.fnUntraced(function* (path: string, onPlayed: (played: PlayedTrace) => void) {
  const folder = resolve(path)
  const names = namesIn(folder)
  if (names.length === 0)
    return yield* new NoTraces({ message: `${path}: no recordings with scenarios/ and driver.mjs` })
  return yield* Effect.forEach(
    names,
    (name) =>
      Effect.gen(function* () {
        const agreements: Array<boolean> = []
        while (agreements.length < MAX_RUNS && !agreements.includes(true)) {
          const played = yield* playTrace(folder, name)
          onPlayed(played)
          agreements.push(played.agrees)
        }
        const recording: PlayedRecording = { name, agreements }
        return recording
      }),
    { concurrency: CONCURRENT_RUNS }
  )
})
