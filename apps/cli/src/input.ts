import { boundedText, MAX_TEXT_BYTES } from "@rollcall/files"
import { invalid } from "@rollcall/input"
import { parseSource, readDocumentsBelow } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"

/** The argument that stands for standard input. */
const STDIN = "-"

/** Reads the documents of a file, of the files of a folder, or of standard input if the file is `-`: `kubectl get … -o json | rollcall plan drain n1 --snapshot -`. */
export const readInput = Effect.fnUntraced(function* (file: string) {
  if (file !== STDIN) return yield* readDocumentsBelow(file)
  const stdio = yield* Stdio.Stdio
  const text = yield* Effect.mapError(boundedText(stdio.stdin, MAX_TEXT_BYTES), ({ _tag, message }) =>
    invalid("standard input", "", _tag === "TextFileError" ? message : `cannot be read: ${message}`)
  )
  return yield* parseSource({ file: "standard input", text })
})
