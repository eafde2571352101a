import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type DocumentOptions, parseAllDocuments, type SchemaOptions } from "yaml"
import { jsonStream } from "./jsonStream.ts"
import { type InvalidInput, invalid } from "./Problem.ts"

/** One document of a YAML or JSON file. */
export interface Document {
  readonly file: string
  /** Where the document stands in its file, when it is not the only one: `document 2`. */
  readonly path: string
  readonly value: unknown
}

const MAX_ALIASES = 1_000

const parseOneJson = (file: string, path: string, text: string): Result.Result<Document, InvalidInput> => {
  try {
    return Result.succeed({ file, path, value: JSON.parse(text) })
  } catch (cause) {
    return Result.fail(invalid(file, path, `not JSON: ${cause instanceof Error ? cause.message : String(cause)}`))
  }
}

/** One document, or several one after another, as `rollcall simulate -o json` writes them for several scenarios. */
const parseJson = (file: string, text: string): Result.Result<ReadonlyArray<Document>, InvalidInput> => {
  const whole = parseOneJson(file, "", text)
  if (Result.isSuccess(whole)) return Result.succeed([whole.success])
  const parts = jsonStream(text)
  if (parts.length < 2) return Result.fail(whole.failure)
  return Result.all(parts.map((part, index) => parseOneJson(file, `document ${index + 1}`, part)))
}

const TIMESTAMP = "tag:yaml.org,2002:timestamp"

/**
 * YAML 1.1 as Kubernetes' components read their configuration: `yes`, `on` and `n` are switches, `010` is octal; but times of day
 * and dates are texts. Upstream: sigs.k8s.io/yaml.
 */
const ofGo: DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME"))
    )
}
export type YamlVersion = "1.1" | "1.2"

/** The documents of a YAML text; an empty text has none. */
const parseYaml = (
  file: string,
  text: string,
  version: YamlVersion
): Result.Result<ReadonlyArray<Document>, InvalidInput> => {
  const options = version === "1.1" ? ofGo : { version }
  const parsed = parseAllDocuments(text, { ...options, prettyErrors: true, stringKeys: true })
  const documents: Array<Document> = []
  const list = Array.isArray(parsed) ? parsed : []
  for (const document of list) {
    const error = document.errors[0]
    if (error !== undefined) {
      const line = error.linePos?.[0]
      const where = line === undefined ? "" : `line ${line.line}, column ${line.col}`
      return Result.fail(
        invalid(file, where, `not YAML: ${error.message.split("\n")[0]?.replace(/ at line.*$/, "") ?? ""}`)
      )
    }
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
      if (value !== null) {
        documents.push({ file, path: list.length > 1 ? `document ${documents.length + 1}` : "", value })
      }
    } catch (cause) {
      return Result.fail(invalid(file, "", `not YAML: ${cause instanceof Error ? cause.message : String(cause)}`))
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

/** Reads all documents of a file, of at most 256 MiB; what stands in the way is a problem of that file. */
export const readDocuments = Effect.fnUntraced(function* (file: string, namedIn = "", version: YamlVersion = "1.2") {
  const text = yield* boundedText(file).pipe(
    Effect.catchTag("PlatformError", (error) => {
      const reason = unreadable(error)
      return Effect.fail(invalid(file, "", namedIn === "" ? reason : `${reason} (named in ${namedIn})`))
    })
  )
  return yield* Effect.fromResult(parseDocuments(file, text, version))
})
