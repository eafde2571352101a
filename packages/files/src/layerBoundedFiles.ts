import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import { readText } from "./readText.ts"
import type { TextFileError } from "./TextFileError.ts"

/** The limit for a text that is read whole: 256 MiB, ten times a snapshot of a cluster of thousands of nodes. */
export const MAX_TEXT_BYTES = 256 * 1024 * 1024

const platformError = (file: string, error: TextFileError) =>
  PlatformError.systemError({
    _tag: error.reason === "missing" ? "NotFound" : "BadResource",
    module: "FileSystem",
    method: "readFileString",
    pathOrDescriptor: file,
    description: error.message,
    cause: error.cause ?? error
  })

/** The given file system with a `readFileString` that always ends: with the text, or with the error of `readText`. */
export const layerBoundedFiles: Layer.Layer<FileSystem.FileSystem, never, FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (files) => ({
    ...files,
    readFileString: (file: string) =>
      Effect.mapError(readText(file, MAX_TEXT_BYTES), (error) => platformError(file, error))
  }))
)
