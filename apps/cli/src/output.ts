import { invalid } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Where results go: standard output, or a file that is created at once, so that a bad path is known before the run. */
export interface Output {
  readonly write: (text: string) => Effect.Effect<void>
}

/** Opens `--out FILE`, or standard output. */
export const openOutput = Effect.fnUntraced(function* (file: string | undefined) {
  if (file === undefined) {
    const stdio = yield* Stdio.Stdio
    const output: Output = {
      write: (text) => Effect.orDie(Stream.run(Stream.succeed(text), stdio.stdout({ endOnDone: false })))
    }
    return output
  }
  const fs = yield* FileSystem.FileSystem
  const handle = yield* fs
    .open(file, { flag: "w" })
    .pipe(Effect.mapError((error) => invalid("--out", file, `cannot be written: ${error.message}`)))
  const encoder = new TextEncoder()
  const output: Output = { write: (text) => Effect.orDie(handle.writeAll(encoder.encode(text))) }
  return output
})
