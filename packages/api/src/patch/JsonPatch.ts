import * as Result from "effect/Result"
import { holdsLiterals, valueOfText, withLiterals } from "../exactJson.ts"
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
const invalidPatch = (message: string): PatchError => new PatchError({ code: 422, message })

/** Runs a function, and prefixes the message of a PointerFault that it throws. */
const withPrefix = <A>(prefix: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw error instanceof PointerFault ? invalidPatch(`${prefix}: ${error.message}`) : error
  }
}

const pointerOf = (op: string, operation: JsonMap, field: "path" | "from"): string => {
  const value = valueOfText(member(operation, field)) as Json | undefined
  if (typeof value === "string") return value
  const untyped = value !== undefined && value !== null
  const reason = untyped
    ? `json: cannot unmarshal ${jsonType(value)} into Go value of type string`
    : `operation${field === "path" ? " missing path" : ", missing from"} field: ${missing}`
  const terse = field === "path" && (op === "add" || op === "remove" || op === "copy")
  throw invalidPatch(`${op} operation failed to decode ${field}: ${terse ? missing : reason}`)
}

const operand = (operation: JsonMap): Json => member(operation, "value") ?? null

/** The map or list that a pointer leads to, opened for changes, and the pointer's last token. */
interface Location {
  readonly container: EditableContainer
  readonly key: string
}

/** Returns where a pointer leads. Throws `<message>: missing value` if a map or list on the path is missing. */
const locate = (document: EditableDocument, pointer: string, message: string): Location => {
  const tokens = tokensOf(pointer)
  const container = tokens === undefined ? undefined : document.containerAt(tokens)
  if (tokens === undefined || container === undefined) throw invalidPatch(`${message}: ${missing}`)
  return { container, key: tokens.at(-1) ?? "" }
}

type Apply = (document: EditableDocument, operation: JsonMap) => void

const operations: Readonly<Record<string, Apply>> = {
  add: (document, operation) => {
    const path = pointerOf("add", operation, "path")
    const { container, key } = locate(document, path, `add operation does not apply: doc is missing path: "${path}"`)
    withPrefix(`error in add for path: '${path}'`, () => add(container, key, operand(operation)))
  },
  remove: (document, operation) => {
    const path = pointerOf("remove", operation, "path")
    const message = `remove operation does not apply: doc is missing path: "${path}"`
    const { container, key } = locate(document, path, message)
    withPrefix(`error in remove for path: '${path}'`, () => remove(container, key))
  },
  replace: (document, operation) => {
    const path = pointerOf("replace", operation, "path")
    const value = operand(operation)
    if (path === "") {
      if (!isMap(value) && !isList(value))
        throw invalidPatch("replace operation value must be object or array: %!w(<nil>)")
      return document.replace(value)
    }
    const message = "replace operation does not apply: doc is missing"
    const { container, key } = locate(document, path, `${message} path: ${path}`)
    try {
      put(container, key, value)
    } catch (error) {
      throw error instanceof PointerFault ? invalidPatch(`${message} key: ${path}: ${missing}`) : error
    }
  },
  move: (document, operation) => {
    const from = pointerOf("move", operation, "from")
    const source = locate(document, from, `move operation does not apply: doc is missing from path: ${from}`)
    const value = withPrefix(`error in move for path: '${source.key}'`, () => valueAt(source.container, source.key))
    withPrefix(`error in move for path: '${source.key}'`, () => remove(source.container, source.key))
    const path = pointerOf("move", operation, "path")
    const target = locate(document, path, `move operation does not apply: doc is missing destination path: ${path}`)
    withPrefix(`error in move for path: '${path}'`, () => add(target.container, target.key, value))
  },
  copy: (document, operation) => {
    const from = pointerOf("copy", operation, "from")
    const source = locate(document, from, `copy operation does not apply: doc is missing from path: ${from}`)
    const value = withPrefix(`error in copy for from: '${from}'`, () => valueAt(source.container, source.key))
    const path = pointerOf("copy", operation, "path")
    const target = locate(document, path, `copy operation does not apply: doc is missing destination path: ${path}`)
    const copy = document.copied(value)
    withPrefix("error while adding value during copy", () => add(target.container, target.key, copy))
  },
  test: (document, operation) => {
    const path = pointerOf("test", operation, "path")
    const value = operand(operation)
    if (path === "" ? document.equals(value) : document.isSame(testedValue(document, path), value)) return
    throw invalidPatch(`testing value ${path} failed: test failed`)
  }
}

const testedValue = (document: EditableDocument, path: string): EditableValue => {
  const { container, key } = locate(document, path, `test operation does not apply: is missing path: ${path}`)
  return withPrefix(`error in test for path: '${path}'`, () => valueAt(container, key))
}

const applyOperation = (document: EditableDocument, entry: Json): void => {
  const operation = isMap(entry) ? entry : {}
  const op = valueOfText(member(operation, "op"))
  const apply = typeof op === "string" && Object.hasOwn(operations, op) ? operations[op] : undefined
  if (apply === undefined) throw invalidPatch(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`)
  apply(document, operation)
}

/** The number of operations that run before the generator yields. */
const OPERATIONS_PER_STEP = 256

/** Applies all operations. It yields also before the result is assembled, which visits each member of opened maps. */
const applyAll = function* (document: JsonMap | JsonList, list: ReadonlyArray<Json>): Generator<undefined, Json> {
  const editable = new EditableDocument(document)
  try {
    for (const [index, operation] of list.entries()) {
      applyOperation(editable, operation)
      if (index % OPERATIONS_PER_STEP === 0) yield
    }
    yield
    const edited = editable.done()
    return list.some(holdsLiterals) ? (withLiterals(edited, valueOfText) as Json) : edited
  } catch (error) {
    throw error instanceof DocumentFault ? invalidPatch(error.message) : error
  }
}

const decodeOperations = (patch: Json): ReadonlyArray<Json> => {
  if (patch === null) return []
  const wrongType = (value: Json, type: string) =>
    new PatchError({ code: 400, message: `json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}` })
  if (!isList(patch)) throw wrongType(patch, "jsonpatch.Patch")
  const invalidOperation = patch.find((entry) => entry !== null && !isMap(entry))
  if (invalidOperation !== undefined) throw wrongType(invalidOperation, "jsonpatch.Operation")
  if (patch.length > maxJsonPatchOperations) {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${patch.length}`
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
  const steps = applyJsonPatchInSteps(document, patch)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Applies a JSON Patch as `applyJsonPatch` does, as a generator that yields where other work may run. */
export const applyJsonPatchInSteps = function* (
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
