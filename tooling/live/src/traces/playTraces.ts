import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type PlayedTrace, playTrace } from "./playTrace.ts"

/** The folder holds no recordings, or no driver. */
export class NoTraces extends Schema.TaggedError<NoTraces>()("NoTraces", { message: Schema.String }) {}

/** Each takes minutes, in which little happens. */
const AT_A_TIME = 2
/** Where the passes fall is chance, and so is what a busy machine does in between: who differs is played once more. */
const TRIES = 2

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
        let played = yield* playTrace(folder, name)
        tell(played)
        for (let tried = 1; tried < TRIES && !played.agrees; tried++) {
          played = yield* playTrace(folder, name)
          tell(played)
        }
        return played
      }),
    { concurrency: AT_A_TIME }
  )
})
