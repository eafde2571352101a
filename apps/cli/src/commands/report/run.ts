import type { FlagValues, Parsed } from "@rollcall/flags"
import { invalid } from "@rollcall/input"
import { withLines } from "@rollcall/input/documents"
import { checkReported, type Reported, renderReported } from "@rollcall/report"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { readInput } from "../../input.ts"
import { openOutput } from "../../output.ts"
import type { reportTable } from "./table.ts"

const readAll = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const reported: Array<Reported> = []
  for (const file of files) {
    for (const document of yield* readInput(file)) {
      const one = yield* Effect.fromResult(checkReported(document))
      reported.push(one)
      if (one.kind !== "ScenarioResult" || one.bugs === undefined) continue
      yield* Console.error(`rollcall: warning: ${invariantsViolated(one.metadata.name, one.bugs).message}`)
    }
  }
  return reported
}, withLines)

/** `rollcall report`. */
export const runReport = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output }
}: Parsed<FlagValues<typeof reportTable.flags>>) {
  if (files.filter((file) => file === "-").length > 1) {
    return yield* invalid("command line", "FILE", "standard input can be read once")
  }
  const pieces = yield* Effect.fromResult(renderReported(output, yield* readAll(files)))
  const { write } = yield* openOutput(out, files)
  for (const piece of pieces) if (piece !== "") yield* write(piece)
}, Effect.scoped)
