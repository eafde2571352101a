import { invalid } from "@rollcall/input"
import { checkReported, type Reported, renderReported } from "@rollcall/report"
import * as Console from "effect/Console"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readInput } from "../input.ts"
import { modelBroken } from "../ModelBroken.ts"
import { openOutput } from "../output.ts"
import { reportOutput, text } from "./flags.ts"

const config = {
  files: Argument.String("FILE").pipe(
    Argument.withDescription(
      "results of rollcall simulate -o json (or yaml), comparisons of rollcall compare -o json; -: standard input"
    ),
    Argument.atLeast(1)
  ),
  output: reportOutput("ndjson for the trace"),
  out: text("out", "write the report to this file")
}

const readAll = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const reported: Array<Reported> = []
  for (const file of files) {
    for (const document of yield* readInput(file)) {
      const one = yield* Effect.fromResult(checkReported(document))
      reported.push(one)
      if (one.kind !== "ScenarioResult" || one.bugs === undefined) continue
      yield* Console.error(`rollcall: warning: ${modelBroken(one.metadata.name, one.bugs).message}`)
    }
  }
  return reported
})

export const reportCommand = Command.make(
  "report",
  config,
  Effect.fnUntraced(function* ({ files, out, output }) {
    if (files.filter((file) => file === "-").length > 1) {
      return yield* invalid("command line", "FILE", "standard input can be read once")
    }
    const pieces = yield* Effect.fromResult(renderReported(output, yield* readAll(files)))
    const { write } = yield* openOutput(Option.getOrUndefined(out), files)
    for (const piece of pieces) if (piece !== "") yield* write(piece)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Report on saved results, as the command that made them would have done. Exit: 0 written, 2 wrong input."
  )
)
