import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { JsonListReader } from "./JsonListReader.ts"

/** Files up to this length are read as a text, in which the lines of problems can be found. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

const CHUNK_BYTES = 1024 * 1024

/** Reads a long file as a JSON List of objects, piece by piece. Returns undefined if it is none. */
export const readJsonList = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const status = yield* Effect.option(fs.stat(file))
  if (status._tag === "None" || status.value.type !== "File" || status.value.size <= MAX_TEXT_BYTES) return undefined
  const reader = new JsonListReader()
  let isList = true
  yield* fs.stream(file, { chunkSize: CHUNK_BYTES }).pipe(
    Stream.decodeText,
    Stream.runForEachWhile((chunk) =>
      Effect.sync(() => {
        isList = reader.push(chunk)
        return isList
      })
    )
  )
  return isList ? reader.end() : undefined
})
