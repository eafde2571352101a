import * as Result from "effect/Result"
import {
  add,
  DocumentFault,
  type EditableContainer,
  EditableDocument,
  type EditableValue,
  put,
  remove,
  valueAt
} from "./EditableDocument.ts"
import { jsonType } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, member } from "./Json.ts"
import { PatchError } from "./PatchError.ts"
import { PointerFault, tokensOf } from "./Pointer.ts"

/** The maximum number of operations of a patch. */
export const maxJsonPatchOperations = 10_000

const missing = "missing value"
const refused = (message: string): PatchError => new PatchError({ code: 422, message })

/** Prefixes the message of a pointer error with the operation's own. */
const prefixing = <A>(prefix: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw error instanceof PointerFault ? refused(`${prefix}: ${error.message}`) : error
  }
}

const pointerOf = (op: string, operation: JsonMap, field: "path" | "from"): string => {
  const value = member(operation, field)
  if (typeof value === "string") return value
  const untyped = value !== undefined && value !== null
  const reason = untyped
    ? `json: cannot unmarshal ${jsonType(value)} into Go value of type string`
    : `operation${field === "path" ? " missing path" : ", missing from"} field: ${missing}`
  const terse = field === "path" && (op === "add" || op === "remove" || op === "copy")
  throw refused(`${op} operation failed to decode ${field}: ${terse ? missing : reason}`)
}

const operand = (operation: JsonMap): Json => member(operation, "value") ?? null

interface Found {
  readonly container: EditableContainer
  readonly key: string
}

const locate = (document: EditableDocument, pointer: string, complaint: string): Found => {
  const tokens = tokensOf(pointer)
  const container = tokens === undefined ? undefined : document.containerAt(tokens)
  if (tokens === undefined || container === undefined) throw refused(`${complaint}: ${missing}`)
  return { container, key: tokens.at(-1) ?? "" }
}

type Apply = (document: EditableDocument, operation: JsonMap) => void

const operations: Readonly<Record<string, Apply>> = {
  add: (document, operation) => {
    const path = pointerOf("add", operation, "path")
    const { container, key } = locate(document, path, `add operation does not apply: doc is missing path: "${path}"`)
    prefixing(`error in add for path: '${path}'`, () => add(container, key, operand(operation)))
  },
  remove: (document, operation) => {
    const path = pointerOf("remove", operation, "path")
    const complaint = `remove operation does not apply: doc is missing path: "${path}"`
    const { container, key } = locate(document, path, complaint)
    prefixing(`error in remove for path: '${path}'`, () => remove(container, key))
  },
  replace: (document, operation) => {
    const path = pointerOf("replace", operation, "path")
    const value = operand(operation)
    if (path === "") {
      if (!isMap(value) && !isList(value)) throw refused("replace operation value must be object or array: %!w(<nil>)")
      return document.replace(value)
    }
    const complaint = "replace operation does not apply: doc is missing"
    const { container, key } = locate(document, path, `${complaint} path: ${path}`)
    try {
      put(container, key, value)
    } catch (error) {
      throw error instanceof PointerFault ? refused(`${complaint} key: ${path}: ${missing}`) : error
    }
  },
  move: (document, operation) => {
    const from = pointerOf("move", operation, "from")
    const source = locate(document, from, `move operation does not apply: doc is missing from path: ${from}`)
    const value = prefixing(`error in move for path: '${source.key}'`, () => valueAt(source.container, source.key))
    prefixing(`error in move for path: '${source.key}'`, () => remove(source.container, source.key))
    const path = pointerOf("move", operation, "path")
    const target = locate(document, path, `move operation does not apply: doc is missing destination path: ${path}`)
    prefixing(`error in move for path: '${path}'`, () => add(target.container, target.key, value))
  },
  copy: (document, operation) => {
    const from = pointerOf("copy", operation, "from")
    const source = locate(document, from, `copy operation does not apply: doc is missing from path: ${from}`)
    const value = prefixing(`error in copy for from: '${from}'`, () => valueAt(source.container, source.key))
    const path = pointerOf("copy", operation, "path")
    const target = locate(document, path, `copy operation does not apply: doc is missing destination path: ${path}`)
    const copy = document.copied(value)
    prefixing("error while adding value during copy", () => add(target.container, target.key, copy))
  },
  test: (document, operation) => {
    const path = pointerOf("test", operation, "path")
    const value = operand(operation)
    if (path === "" ? document.equals(value) : document.same(testedValue(document, path), value)) return
    throw refused(`testing value ${path} failed: test failed`)
  }
}

const testedValue = (document: EditableDocument, path: string): EditableValue => {
  const { container, key } = locate(document, path, `test operation does not apply: is missing path: ${path}`)
  return prefixing(`error in test for path: '${path}'`, () => valueAt(container, key))
}

const applyOperation = (document: EditableDocument, entry: Json): void => {
  const operation = isMap(entry) ? entry : {}
  const op = member(operation, "op")
  const apply = typeof op === "string" && Object.hasOwn(operations, op) ? operations[op] : undefined
  if (apply === undefined) throw refused(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`)
  apply(document, operation)
}

/** The number of operations between two yields. */
const PART = 256

/** Opening and closing a map of the document visits each of its members. */
const applyAll = function* (document: JsonMap | JsonList, list: ReadonlyArray<Json>): Generator<undefined, Json> {
  const editable = new EditableDocument(document)
  try {
    for (const [index, operation] of list.entries()) {
      applyOperation(editable, operation)
      if (index % PART === 0) yield
    }
    yield
    return editable.done()
  } catch (error) {
    throw error instanceof DocumentFault ? refused(error.message) : error
  }
}

const decodeOperations = (patch: Json): ReadonlyArray<Json> => {
  if (patch === null) return []
  const unreadable = (value: Json, type: string) =>
    new PatchError({ code: 400, message: `json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}` })
  if (!isList(patch)) throw unreadable(patch, "jsonpatch.Patch")
  const stranger = patch.find((entry) => entry !== null && !isMap(entry))
  if (stranger !== undefined) throw unreadable(stranger, "jsonpatch.Operation")
  if (patch.length > maxJsonPatchOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${patch.length}`
    throw new PatchError({ code: 413, message })
  }
  return patch
}

/**
 * Applies a JSON Patch (RFC 6902) with the deviations of Kubernetes' library: `replace` of a missing member of a map
 * adds it, `test` compares a missing member with null, `copy` of one copies null, negative indexes count from the end,
 * the whole document cannot be added or removed, and all copies together may add at most 3 MiB. All operations are
 * applied or none; the result shares unchanged values.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4 as called by apiserver/pkg/endpoints/handlers/patch.go.
 */
export const applyJsonPatch = (document: unknown, patch: unknown): Result.Result<Json, PatchError> => {
  const parts = applyingJsonPatch(document, patch)
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}

/** As `applyJsonPatch`, as a generator: it yields where other work may run. */
export const applyingJsonPatch = function* (
  document: unknown,
  patch: unknown
): Generator<undefined, Result.Result<Json, PatchError>, undefined> {
  try {
    const list = decodeOperations(patch as Json)
    const value = document as Json
    return Result.succeed(isMap(value) || isList(value) ? yield* applyAll(value, list) : value)
  } catch (error) {
    if (error instanceof PatchError) return Result.fail(error)
    throw error
  }
}
