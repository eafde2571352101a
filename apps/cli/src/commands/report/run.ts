import type { FlagValues, Parsed } from "@rollcall/flags"
import { withLineNumbers } from "@rollcall/input/documents"
import { checkReported, type Reported, renderReported } from "@rollcall/report"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { readInput } from "../../input.ts"
import { openOutput } from "../../output.ts"
import { usageError } from "../../usageError.ts"
import type { reportTable } from "./table.ts"

/** Reads the results and comparisons of files, and warns of results whose rehearsal violated invariants. */
const readAll = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const reported: Array<Reported> = []
  for (const file of files) {
    for (const document of yield* readInput(file)) {
      const item = yield* Effect.fromResult(checkReported(document))
      reported.push(item)
      if (item.kind !== "ScenarioResult" || item.bugs === undefined) continue
      yield* Console.error(`rollcall: warning: ${invariantsViolated(item.metadata.name, item.bugs).message}`)
    }
  }
  return reported
}, withLineNumbers)

/** Runs `rollcall report`. */
export const runReport = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output }
}: Parsed<FlagValues<typeof reportTable.flags>>) {
  if (files.filter((file) => file === "-").length > 1) {
    return yield* usageError("standard input can be read once", "FILE")
  }
  const pieces = yield* Effect.fromResult(renderReported(output, yield* readAll(files)))
  const { write } = yield* openOutput(out, files)
  for (const piece of pieces) if (piece !== "") yield* write(piece)
}, Effect.scoped)
