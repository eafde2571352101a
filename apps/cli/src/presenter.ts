import * as Console from "effect/Console"
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"

/** Wrong flags and arguments: what is wrong, on stderr alone, so that nobody takes a page of help for a result. */
export const layerPresenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.forEach(event.errors, (error) => Console.error(`rollcall: ${error.message}`), { discard: true }).pipe(
          Effect.andThen(Console.error(`See ${event.commandPath.join(" ")} --help`))
        )
      : CliOutput.defaultPresenter.present(event)
})
