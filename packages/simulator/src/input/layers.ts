import { type Problem, problemAt, wrongValue } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

/** A file of code whose default export is a layer for ports of the world. */
export interface LayersFile {
  /** As the scenario names it. */
  readonly name: string
  /** Where it is. */
  readonly file: string
}

const CODE = /\.(ts|mts|js|mjs)$/

/** The files of `spec.layers`: code that lies beside the scenario, or below. What is named is not read yet. */
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
    if (!CODE.test(name)) refuse("a file of code: .ts, .mts, .js or .mjs")
    else if (!isBelow) refuse("a file in the folder of the scenario, or below")
    return { name, file }
  })
  return { files, problems }
})
