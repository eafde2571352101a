import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Random from "effect/Random"
import { ShutdownState, ShutdownStateError } from "../ports/ShutdownState.ts"
import { formatState, parseState } from "./stateText.ts"

/** The name of the file in which a real kubelet keeps the state. */
export const stateFileName = "graceful_node_shutdown_state"

const MODE = 0o644

const stateError = ({ message }: PlatformError.PlatformError) => new ShutdownStateError({ message })

/** Writes a file atomically: writes a temporary file, syncs it to disk, and renames it over the old one. */
const writeAtomically = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  temporary: string,
  file: string,
  text: string
) {
  yield* Effect.gen(function* () {
    yield* fs.writeFileString(temporary, text, { flag: "wx", mode: MODE })
    yield* fs.chmod(temporary, MODE)
    const handle = yield* fs.open(temporary, { flag: "r+" })
    yield* handle.sync
  }).pipe(Effect.scoped)
  yield* fs.rename(temporary, file)
})

/** Keeps the state in a file in the kubelet's root folder, as a real kubelet does. */
export const layerStateFile = (folder: string): Layer.Layer<ShutdownState, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    ShutdownState,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(folder, stateFileName)
      return ShutdownState.of({
        load: fs.readFileString(file).pipe(
          Effect.mapError((error) => (error.reason._tag === "NotFound" ? undefined : stateError(error))),
          Effect.flatMap(parseState),
          Effect.catchIf(
            (error) => error === undefined,
            () => Effect.succeed({})
          )
        ),
        store: Effect.fnUntraced(function* (times) {
          const number = yield* Random.nextIntBetween(0, 2 ** 31)
          const temporary = path.join(folder, `.tmp-${stateFileName}${number}`)
          yield* writeAtomically(fs, temporary, file, formatState(times)).pipe(
            Effect.mapError(stateError),
            Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
          )
        })
      })
    })
  )
