import { type Problem, problemAt, wrongValue } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

/** A code file whose default export is an Effect layer that replaces ports of a rehearsal. */
export interface LayersFile {
  /** The path that the scenario or the command line states. */
  readonly name: string
  /** The path from the working directory. */
  readonly file: string
}

const CODE_FILE = /\.(ts|mts|js|mjs)$/

/** Resolves the files of `spec.layers` and checks that they are code in the folder of the scenario, or below. Does not read them. */
export const planLayers = Effect.fnUntraced(function* (scenario: string, names: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const folder = path.dirname(scenario)
  const problems: Array<Problem> = []
  const files = names.map((name, index): LayersFile => {
    const file = path.join(folder, name)
    const below = path.relative(folder, file)
    const isBelow = !path.isAbsolute(name) && below !== ".." && !below.startsWith(`..${path.sep}`)
    const refuse = (expected: string) =>
      problems.push(problemAt(scenario, `spec.layers[${index}]`, wrongValue(name, expected)))
    if (!CODE_FILE.test(name)) refuse("a file of code: .ts, .mts, .js or .mjs")
    else if (!isBelow) refuse("a file in the folder of the scenario, or below")
    return { name, file }
  })
  return { files, problems }
})
