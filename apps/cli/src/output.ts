import { type InvalidInput, invalid } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { BrokenPipe } from "./BrokenPipe.ts"

/** The destination of results: standard output or a file. */
export interface Output {
  readonly write: (text: string) => Effect.Effect<void, InvalidInput | BrokenPipe>
}

const isBrokenPipe = ({ reason: { cause } }: PlatformError.PlatformError): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "EPIPE"

/** Returns the message of the operating system, or that of Effect if there is none. */
const systemMessage = ({ message, reason: { cause } }: PlatformError.PlatformError): string =>
  cause instanceof Error ? cause.message : message

/** Returns the input file that is the same file as `file`, also through links: writing to it would overwrite the input. */
const inputThatIs = Effect.fnUntraced(function* (file: string, inputs: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const real = (path: string) => Effect.option(fs.realPath(path))
  const written = yield* real(file)
  // A file that does not exist yet is not an input.
  if (written._tag === "None") return undefined
  for (const input of inputs) {
    const read = yield* real(input)
    if (read._tag === "Some" && read.value === written.value) return input
  }
  return undefined
})

/**
 * Opens the file of --out, or standard output if `file` is undefined. It empties the file at once, so that a bad path fails before the run;
 * call it only when the input is known to be good. Fails if the file is one of `inputs`, the files that the command reads.
 */
export const openOutput = Effect.fnUntraced(function* (file: string | undefined, inputs: ReadonlyArray<string> = []) {
  if (file === undefined) {
    const stdio = yield* Stdio.Stdio
    const output: Output = {
      write: (text) =>
        Stream.run(Stream.succeed(text), stdio.stdout({ endOnDone: false })).pipe(
          Effect.mapError((error) =>
            isBrokenPipe(error) ? new BrokenPipe() : invalid("stdout", "", `cannot be written: ${systemMessage(error)}`)
          )
        )
    }
    return output
  }
  const fs = yield* FileSystem.FileSystem
  const cannotWrite = (error: PlatformError.PlatformError) =>
    invalid(
      "--out",
      file,
      error.reason._tag === "NotFound" ? "no such folder" : `cannot be written: ${systemMessage(error)}`
    )
  const input = yield* inputThatIs(file, inputs)
  if (input !== undefined) return yield* invalid("--out", file, `is ${input}, which is read: name another file`)
  const handle = yield* fs.open(file, { flag: "w" }).pipe(Effect.mapError(cannotWrite))
  const encoder = new TextEncoder()
  const output: Output = { write: (text) => handle.writeAll(encoder.encode(text)).pipe(Effect.mapError(cannotWrite)) }
  return output
})
