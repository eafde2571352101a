import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { parseAllDocuments } from "yaml"
import { jsonStream } from "./jsonStream.ts"
import { lineAt } from "./lines/findLine.ts"
import { rememberSource, type Source } from "./lines/withLines.ts"
import { type YamlVersion, yamlOptions } from "./lines/yamlOptions.ts"
import { InvalidInput, invalid } from "./Problem.ts"

export { rememberSource, withLines, withLinesWhere } from "./lines/withLines.ts"
export type { YamlVersion }

/** One document of a YAML or JSON file. */
export interface Document {
  readonly file: string
  /** Where the document stands in its file, when it is not the only one: `document 2`. */
  readonly path: string
  readonly value: unknown
}

const MAX_ALIASES = 1_000

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const notAs = (format: "JSON" | "YAML", file: string, path: string, words: string, line?: number): InvalidInput =>
  new InvalidInput({
    problems: [{ file, path, ...(line === undefined ? {} : { line }), message: `not ${format}: ${words}` }]
  })

/** What JSON.parse says of where it stopped. */
const JSON_PLACE = / at position \d+ \(line (\d+) (column \d+)\)$/

const parseOneJson = (
  file: string,
  path: string,
  text: string,
  firstLine = () => 1
): Result.Result<Document, InvalidInput> => {
  try {
    return Result.succeed({ file, path, value: JSON.parse(text) })
  } catch (cause) {
    const words = wordsOf(cause)
    const line = JSON_PLACE.exec(words)?.[1]
    return Result.fail(
      notAs(
        "JSON",
        file,
        path,
        words.replace(JSON_PLACE, " at $2"),
        line === undefined ? line : Number(line) + firstLine() - 1
      )
    )
  }
}

/** One document, or several one after another, as `rollcall simulate -o json` writes them for several scenarios. */
const parseJson = (file: string, text: string): Result.Result<ReadonlyArray<Document>, InvalidInput> => {
  const whole = parseOneJson(file, "", text)
  if (Result.isSuccess(whole)) return Result.succeed([whole.success])
  const parts = jsonStream(text)
  if (parts.length < 2) return Result.fail(whole.failure)
  const documents: Array<Document> = []
  for (const [index, { from, to }] of parts.entries()) {
    const path = `document ${index + 1}`
    const parsed = parseOneJson(file, path, text.slice(from, to), () => lineAt(text, from))
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    documents.push(parsed.success)
  }
  return Result.succeed(documents)
}

/** The documents of a YAML text; an empty text has none. */
const parseYaml = (
  file: string,
  text: string,
  version: YamlVersion
): Result.Result<ReadonlyArray<Document>, InvalidInput> => {
  const parsed = parseAllDocuments(text, yamlOptions(version))
  const documents: Array<Document> = []
  const list = Array.isArray(parsed) ? parsed : []
  for (const document of list) {
    const error = document.errors[0]
    if (error !== undefined) {
      const [words = ""] = error.message.split("\n")
      return Result.fail(
        notAs("YAML", file, "", words.replace(/ at line \d+, (column \d+):?$/, " at $1"), error.linePos?.[0].line)
      )
    }
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
      if (value !== null) {
        documents.push({ file, path: list.length > 1 ? `document ${documents.length + 1}` : "", value })
      }
    } catch (cause) {
      return Result.fail(notAs("YAML", file, "", wordsOf(cause)))
    }
  }
  return Result.succeed(documents)
}

const parse = (file: string, text: string, version: YamlVersion) => {
  if (!file.endsWith(".json") && !text.trimStart().startsWith("{")) return parseYaml(file, text, version)
  const json = parseJson(file, text)
  return Result.isSuccess(json) || file.endsWith(".json") ? json : parseYaml(file, text, version)
}

/** YAML, or JSON by the file's name; text that is JSON is read as such whatever its name, many times faster. */
export const parseDocuments = (
  file: string,
  text: string,
  version: YamlVersion = "1.2"
): Result.Result<ReadonlyArray<Document>, InvalidInput> =>
  Result.flatMap(parse(file, text, version), (documents) =>
    documents.length === 0
      ? Result.fail(invalid(file, "", "is empty, expected YAML or JSON"))
      : Result.succeed(documents)
  )

/** The value of a text that holds one document; undefined where it is empty. */
export const parseDocument = (
  file: string,
  text: string,
  version: YamlVersion = "1.2"
): Result.Result<unknown, InvalidInput> =>
  Result.flatMap(parse(file, text, version), ([first, ...others]) =>
    others.length === 0
      ? Result.succeed(first?.value)
      : Result.fail(invalid(file, "", `holds ${others.length + 1} documents, expected one`))
  )

/** The system's words where it has any: a folder is no file, and some files may not be read. */
const unreadable = ({ message, reason: { _tag, cause } }: PlatformError.PlatformError): string => {
  if (_tag === "NotFound") return "no such file"
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "EISDIR") return "is a folder, expected a file"
  // What a bounded file system refuses, it says of the file itself (`layerBoundedFiles` of @rollcall/files).
  if (cause instanceof Error && "_tag" in cause && cause._tag === "TextFileError") return cause.message
  return `cannot be read: ${cause instanceof Error ? cause.message : message}`
}

/** The longest file that is read: a snapshot of a cluster of thousands of nodes is a tenth of it. */
const MAX_BYTES = 256 * 1024 * 1024

const tooLong = (file: string): InvalidInput =>
  invalid(file, "", `is longer than ${MAX_BYTES / 1024 / 1024} MiB, the most that is read`)

/** A device has no length beforehand: no more than that is taken of it. */
const streamed = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string) {
  let bytes = 0
  const count = (chunk: Uint8Array) =>
    Effect.sync(() => {
      bytes += chunk.length
    })
  const text = yield* fs
    .stream(file, { bytesToRead: MAX_BYTES + 1 })
    .pipe(Stream.tap(count), Stream.decodeText, Stream.mkString)
  return bytes > MAX_BYTES ? yield* tooLong(file) : text
})

const boundedText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  // Texts in memory have no status; what cannot be looked at is told of by the reading.
  const status = yield* Effect.option(fs.stat(file))
  const { size, type } = status._tag === "Some" ? status.value : { size: 0n, type: undefined }
  if (type === "CharacterDevice" || type === "BlockDevice") return yield* streamed(fs, file)
  // A pipe cannot be read from a position; Node itself bounds what becomes one text.
  return size > BigInt(MAX_BYTES) ? yield* tooLong(file) : yield* fs.readFileString(file)
})

/** `parseDocuments` of a text that was read from somewhere: `withLines` finds the lines of its problems. */
export const parseSource = Effect.fnUntraced(function* (source: Source) {
  yield* rememberSource(source)
  return yield* Effect.fromResult(parseDocuments(source.file, source.text, source.version))
})

/** Reads all documents of a file, of at most 256 MiB; what stands in the way is a problem of that file. */
export const readDocuments = Effect.fnUntraced(function* (file: string, namedIn = "", version: YamlVersion = "1.2") {
  const text = yield* boundedText(file).pipe(
    Effect.catchTag("PlatformError", (error) => {
      const reason = unreadable(error)
      return Effect.fail(invalid(file, "", namedIn === "" ? reason : `${reason} (named in ${namedIn})`))
    })
  )
  return yield* parseSource({ file, text, version })
})
