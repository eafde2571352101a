import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { parseAllDocuments } from "yaml"
import { readJsonList } from "./json/readJsonList.ts"
import { jsonStream } from "./jsonStream.ts"
import { lineAt } from "./lines/findLine.ts"
import { rememberSource, type Source } from "./lines/withLineNumbers.ts"
import { type YamlVersion, yamlOptions } from "./lines/yamlOptions.ts"
import { InvalidInput, invalid } from "./Problem.ts"

export { rememberSource, withLineNumbers, withLineNumbersWhere } from "./lines/withLineNumbers.ts"
export type { YamlVersion }

/** One document of a YAML or JSON file. */
export interface Document {
  readonly file: string
  /** Its position if the file has several documents: `document 2`; otherwise empty. */
  readonly path: string
  readonly value: unknown
}

/** With more aliases a small text could expand to a huge value; this is the limit of the YAML parser. */
const MAX_ALIASES = 1_000

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const syntaxError = (
  format: "JSON" | "YAML",
  file: string,
  path: string,
  message: string,
  line?: number
): InvalidInput =>
  new InvalidInput({
    problems: [{ file, path, ...(line === undefined ? {} : { line }), message: `not ${format}: ${message}` }]
  })

/** The end of JSON.parse's message, with the line and the column of the error. */
const JSON_POSITION = / at position \d+ \(line (\d+) (column \d+)\)$/

const parseOneJson = (
  file: string,
  path: string,
  text: string,
  firstLine = () => 1
): Result.Result<Document, InvalidInput> => {
  try {
    return Result.succeed({ file, path, value: JSON.parse(text) })
  } catch (cause) {
    const message = messageOf(cause)
    const line = JSON_POSITION.exec(message)?.[1]
    return Result.fail(
      syntaxError(
        "JSON",
        file,
        path,
        message.replace(JSON_POSITION, " at $2"),
        line === undefined ? line : Number(line) + firstLine() - 1
      )
    )
  }
}

/** Parses one document, or several in sequence, as `rollcall simulate -o json` writes them for several scenarios. */
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

/** Parses the documents of a YAML text; an empty text has none. */
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
      const [message = ""] = error.message.split("\n")
      return Result.fail(
        syntaxError(
          "YAML",
          file,
          "",
          message.replace(/ at line \d+, (column \d+):?$/, " at $1"),
          error.linePos?.[0].line
        )
      )
    }
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
      if (value !== null) {
        documents.push({ file, path: list.length > 1 ? `document ${documents.length + 1}` : "", value })
      }
    } catch (cause) {
      return Result.fail(syntaxError("YAML", file, "", messageOf(cause)))
    }
  }
  return Result.succeed(documents)
}

/** The start of a JSON object, or of a YAML mapping in its style. */
const JSON_OBJECT = /^\s*\{\s*"/

const parse = (file: string, text: string, version: YamlVersion) => {
  if (!file.endsWith(".json") && !text.trimStart().startsWith("{")) return parseYaml(file, text, version)
  const json = parseJson(file, text)
  if (Result.isSuccess(json) || file.endsWith(".json")) return json
  const yaml = parseYaml(file, text, version)
  return Result.isSuccess(yaml) || !JSON_OBJECT.test(text) ? yaml : json
}

/**
 * Parses a text as JSON if the file's name ends in `.json` or the text is JSON, which is many times faster, otherwise
 * as YAML. Fails if it has no document.
 */
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

/** Parses a text with at most one document. Returns its value, or undefined if the text is empty. */
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

/** Returns why a file cannot be read, from the system's error where it has one. */
const unreadable = ({ message, reason: { _tag, cause } }: PlatformError.PlatformError): string => {
  if (_tag === "NotFound") return "no such file"
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "EISDIR") return "is a folder, expected a file"
  // `layerBoundedFiles` of @rollcall/files refuses files with messages of its own.
  if (cause instanceof Error && "_tag" in cause && cause._tag === "TextFileError") return cause.message
  return `cannot be read: ${cause instanceof Error ? cause.message : message}`
}

/** The longest file that is read as a text. */
const MAX_BYTES = 256 * 1024 * 1024

const tooLongError = (file: string): InvalidInput =>
  invalid(file, "", `is longer than ${MAX_BYTES / 1024 / 1024} MiB, the most that is read`)

/** Reads a device, whose length is not known beforehand, up to the limit. */
const readBounded = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string) {
  let bytes = 0
  const count = (chunk: Uint8Array) =>
    Effect.sync(() => {
      bytes += chunk.length
    })
  const text = yield* fs
    .stream(file, { bytesToRead: MAX_BYTES + 1 })
    .pipe(Stream.tap(count), Stream.decodeText, Stream.mkString)
  return bytes > MAX_BYTES ? yield* tooLongError(file) : text
})

const boundedText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  // A file without a status is a text in memory, or cannot be read either: then reading it fails with the reason.
  const status = yield* Effect.option(fs.stat(file))
  const { size, type } = status._tag === "Some" ? status.value : { size: 0n, type: undefined }
  if (type === "CharacterDevice" || type === "BlockDevice") return yield* readBounded(fs, file)
  // A pipe cannot be read from a position, so its length is unknown here; Node itself bounds the length of a text.
  return size > BigInt(MAX_BYTES) ? yield* tooLongError(file) : yield* fs.readFileString(file)
})

/** Parses a text like `parseDocuments`, and keeps it so that `withLineNumbers` finds the lines of its problems. */
export const parseSource = Effect.fnUntraced(function* (source: Source) {
  yield* rememberSource(source)
  return yield* Effect.fromResult(parseDocuments(source.file, source.text, source.version))
})

const readText = (file: string, version: YamlVersion) =>
  Effect.flatMap(boundedText(file), (text) => parseSource({ file, text, version }))

export interface ReadDocumentsOptions {
  /** The file and the field that name the file, for error messages: `fleet.yaml at spec.manifests[0]`. */
  readonly namedIn?: string
  /** The default is 1.2; configuration of Kubernetes' components is YAML 1.1. */
  readonly version?: YamlVersion
}

/**
 * Reads all documents of a file: a JSON List of objects of any length, anything else of at most 256 MiB. Fails with a problem of that
 * file if it cannot be read or parsed. Equal parts of the objects of a long List may be the same values, which must not be changed.
 */
export const readDocuments = Effect.fnUntraced(function* (
  file: string,
  { namedIn = "", version = "1.2" }: ReadDocumentsOptions = {}
) {
  const read = Effect.flatMap(
    readJsonList(file),
    (value): ReturnType<typeof readText> =>
      value === undefined ? readText(file, version) : Effect.succeed([{ file, path: "", value }])
  )
  return yield* read.pipe(
    Effect.catchTag("PlatformError", (error) => {
      const reason = unreadable(error)
      return Effect.fail(invalid(file, "", namedIn === "" ? reason : `${reason} (named in ${namedIn})`))
    })
  )
})

/** The names of files with objects: others of a folder, such as logs, are left out. */
const OBJECT_FILE = /\.(json|yaml|yml)(\.gz)?$/

/** The most files of a folder; a dump of a cluster has eight for each namespace. */
const MAX_FILES = 10_000

const filesOf = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs
    .readDirectory(folder, { recursive: true })
    .pipe(Effect.mapError(({ message }) => invalid(folder, "", `cannot be read: ${message}`)))
  const files = names.filter((name) => OBJECT_FILE.test(name)).toSorted()
  if (files.length === 0) return yield* invalid(folder, "", "is a folder without .json, .yaml or .yml files")
  if (files.length > MAX_FILES) {
    return yield* invalid(folder, "", `is a folder with ${files.length} files, expected at most ${MAX_FILES}`)
  }
  return files.map((name) => `${folder}/${name}`)
})

/**
 * Reads all documents of a file, like `readDocuments`, or of all files of a folder and of the folders in it, in the order of their names:
 * `kubectl cluster-info dump --output-directory` writes such a folder.
 */
export const readDocumentsBelow = Effect.fnUntraced(function* (
  fileOrFolder: string,
  options: ReadDocumentsOptions = {}
) {
  const fs = yield* FileSystem.FileSystem
  const status = yield* Effect.option(fs.stat(fileOrFolder))
  if (status._tag === "None" || status.value.type !== "Directory") return yield* readDocuments(fileOrFolder, options)
  const documents: Array<Document> = []
  for (const file of yield* filesOf(fileOrFolder)) {
    for (const document of yield* readDocuments(file, options)) documents.push(document)
  }
  return documents
})
