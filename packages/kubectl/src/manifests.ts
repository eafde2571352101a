import type { KubeObject } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { parseAllDocuments } from "yaml"
import type { Arguments } from "./Arguments.ts"
import { CommandError, commandError } from "./CommandError.ts"
import { mappingOfObject } from "./discovery.ts"
import type { Host, SourceFile, Unreadable } from "./Host.ts"
import type { Mapping } from "./Mapping.ts"

/** An object from a manifest. */
export interface Manifest {
  readonly mapping: Mapping
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
  /** The file name for messages. */
  readonly source: string
}

/** Returns the index after the closing bracket of the JSON value that starts here. */
const jsonEnd = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++
    } else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

interface ParsedText {
  readonly documents: ReadonlyArray<unknown>
  readonly error: string | undefined
}

/** Reads a sequence of JSON values. A file that starts with JSON is read as JSON to its end. */
const parseJsonStream = (text: string): ParsedText => {
  const documents: Array<unknown> = []
  for (let at = 0; ; ) {
    while (/\s/.test(text[at] ?? "")) at++
    if (at >= text.length) return { documents, error: undefined }
    const start = text[at]
    if (start !== "{" && start !== "[") {
      const next = text[at + 1] ?? ""
      const numeric = start === "-" && !/\d/.test(next)
      const offset = numeric ? at + 2 : at + 1
      const what = numeric ? `'${next}' in numeric literal` : `'${start}' looking for beginning of value`
      return { documents, error: `json: offset ${offset}: invalid character ${what}` }
    }
    const end = jsonEnd(text, at)
    try {
      documents.push(JSON.parse(text.slice(at, end)))
    } catch (error) {
      return { documents, error: `json: ${error instanceof Error ? error.message : String(error)}` }
    }
    at = end
  }
}

const parseYaml = (text: string): ParsedText => {
  const documents: Array<unknown> = []
  for (const document of parseAllDocuments(text, { version: "1.1", uniqueKeys: false })) {
    const [error] = document.errors
    if (error !== undefined) return { documents, error: `error converting YAML to JSON: yaml: ${error.message}` }
    const value: unknown = document.toJS()
    if (value !== null && value !== undefined) documents.push(value)
  }
  return { documents, error: undefined }
}

const parse = (text: string): ParsedText => (/^\s*\{/.test(text) ? parseJsonStream(text) : parseYaml(text))

/** Replaces a List by its items. */
const flatten = (document: unknown): ReadonlyArray<unknown> => {
  const { items, kind } = document as { readonly kind?: string; readonly items?: ReadonlyArray<unknown> }
  return kind?.endsWith("List") === true && Array.isArray(items) ? items.flatMap(flatten) : [document]
}

/** Turns a read error into an error that ends the command. */
export const withCommandError = <A>(text: Effect.Effect<A, Unreadable>): Effect.Effect<A, CommandError> =>
  Effect.mapError(text, ({ message }) => commandError(message))

const readSourceFiles = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const files: Array<SourceFile> = []
  for (const path of args.texts("filename")) {
    if (path === "-") files.push({ path: "STDIN", text: yield* withCommandError(host.stdin) })
    else {
      const found = yield* withCommandError(host.readFiles(path, args.isOn("recursive")))
      if (found === undefined) return yield* commandError(`the path ${JSON.stringify(path)} does not exist`)
      files.push(...found)
    }
  }
  return files
})

const objectProblem = (object: Partial<KubeObject>): string | undefined => {
  if (!object.kind) return "Object 'Kind' is missing"
  if (!object.apiVersion) return "Object 'apiVersion' is missing"
  return undefined
}

/**
 * Reads the objects of all files that `-f` names. The error of a file is returned with the objects before it. Upstream:
 * cli-runtime/pkg/resource/visitor.go.
 */
export const readManifests = Effect.fnUntraced(function* (
  host: Host,
  mappings: ReadonlyArray<Mapping>,
  args: Arguments
) {
  const infos: Array<Manifest> = []
  const requestedNamespace = args.text("namespace")
  for (const { path, text } of yield* readSourceFiles(host, args)) {
    const { documents, error } = parse(text)
    for (const document of documents.flatMap(flatten)) {
      const object = document as KubeObject
      const problem = objectProblem(object)
      if (problem !== undefined) {
        const message = `unable to decode ${JSON.stringify(path)}: ${problem} in '${JSON.stringify(document)}'`
        return { infos, error: commandError(message) }
      }
      const mapping = mappingOfObject(mappings, object)
      if (mapping === undefined) {
        const message = `resource mapping not found for name: ${JSON.stringify(object.metadata?.name ?? "")} namespace: ${JSON.stringify(object.metadata?.namespace ?? "")} from ${JSON.stringify(path)}: no matches for kind ${JSON.stringify(object.kind)} in version ${JSON.stringify(object.apiVersion)}\nensure CRDs are installed first`
        return { infos, error: commandError(message) }
      }
      const objectNamespace = object.metadata?.namespace
      if (objectNamespace && requestedNamespace !== undefined && objectNamespace !== requestedNamespace) {
        const message = `the namespace from the provided object ${JSON.stringify(objectNamespace)} does not match the namespace ${JSON.stringify(requestedNamespace)}. You must pass '--namespace=${objectNamespace}' to perform this operation.`
        return { infos, error: commandError(message) }
      }
      const namespace = mapping.namespaced ? (objectNamespace ?? requestedNamespace ?? host.namespace) : ""
      const metadata = { ...object.metadata, ...(namespace === "" ? {} : { namespace }) }
      infos.push({ mapping, namespace, name: metadata.name ?? "", object: { ...object, metadata }, source: path })
    }
    if (error !== undefined)
      return { infos, error: new CommandError({ text: `error: error parsing ${path}: ${error}` }) }
  }
  return { infos, error: undefined }
})
