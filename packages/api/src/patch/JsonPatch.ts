import type * as Result from "effect/Result"
import { jsonType } from "./goText.ts"
import { isList, isMap, type Json, type JsonMap, jsonEqual, member } from "./Json.ts"
import { attempt, PatchError } from "./PatchError.ts"
import {
  addAt,
  type Container,
  changeAt,
  containerAt,
  getAt,
  isContainer,
  PointerFault,
  removeAt,
  setAt,
  tokensOf
} from "./Pointer.ts"

/** Patches with more operations than this are refused. */
export const maxJsonPatchOperations = 10_000

const missing = "missing value"
const refused = (message: string): PatchError => new PatchError({ code: 422, message })

/** The operation's own words go before a fault's message. */
const saying = <A>(prefix: string, run: () => A): A => {
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

const locate = (document: Container, pointer: string, complaint: string) => {
  const tokens = tokensOf(pointer)
  const container = tokens === undefined ? undefined : containerAt(document, tokens)
  if (tokens === undefined || container === undefined) throw refused(`${complaint}: ${missing}`)
  return { tokens, container, key: tokens.at(-1) ?? "" }
}

type Apply = (document: Container, operation: JsonMap) => Container

const operations: Readonly<Record<string, Apply>> = {
  add: (document, operation) => {
    const path = pointerOf("add", operation, "path")
    const { tokens } = locate(document, path, `add operation does not apply: doc is missing path: "${path}"`)
    const value = operand(operation)
    return saying(`error in add for path: '${path}'`, () =>
      changeAt(document, tokens, (container, key) => addAt(container, key, value))
    )
  },
  remove: (document, operation) => {
    const path = pointerOf("remove", operation, "path")
    const { tokens } = locate(document, path, `remove operation does not apply: doc is missing path: "${path}"`)
    return saying(`error in remove for path: '${path}'`, () => changeAt(document, tokens, removeAt))
  },
  replace: (document, operation) => {
    const path = pointerOf("replace", operation, "path")
    const value = operand(operation)
    if (path === "") {
      if (isContainer(value)) return value
      throw refused("replace operation value must be object or array: %!w(<nil>)")
    }
    const complaint = "replace operation does not apply: doc is missing"
    const { container, key, tokens } = locate(document, path, `${complaint} path: ${path}`)
    try {
      getAt(container, key)
    } catch (error) {
      throw error instanceof PointerFault ? refused(`${complaint} key: ${path}: ${missing}`) : error
    }
    return changeAt(document, tokens, (target, token) => setAt(target, token, value))
  },
  move: (document, operation) => {
    const from = pointerOf("move", operation, "from")
    const source = locate(document, from, `move operation does not apply: doc is missing from path: ${from}`)
    const value = saying(`error in move for path: '${source.key}'`, () => getAt(source.container, source.key))
    const rest = saying(`error in move for path: '${source.key}'`, () => changeAt(document, source.tokens, removeAt))
    const path = pointerOf("move", operation, "path")
    const target = locate(rest, path, `move operation does not apply: doc is missing destination path: ${path}`)
    return saying(`error in move for path: '${path}'`, () =>
      changeAt(rest, target.tokens, (container, key) => addAt(container, key, value))
    )
  },
  copy: (document, operation) => {
    const from = pointerOf("copy", operation, "from")
    const source = locate(document, from, `copy operation does not apply: doc is missing from path: ${from}`)
    const value = saying(`error in copy for from: '${from}'`, () => getAt(source.container, source.key))
    const path = pointerOf("copy", operation, "path")
    const target = locate(document, path, `copy operation does not apply: doc is missing destination path: ${path}`)
    return saying("error while adding value during copy", () =>
      changeAt(document, target.tokens, (container, key) => addAt(container, key, value))
    )
  },
  test: (document, operation) => {
    const path = pointerOf("test", operation, "path")
    const value = operand(operation)
    if (path === "" ? jsonEqual(document, value) : jsonEqual(valueAt(document, path), value)) return document
    throw refused(`testing value ${path} failed: test failed`)
  }
}

const valueAt = (document: Container, path: string): Json => {
  const { container, key } = locate(document, path, `test operation does not apply: is missing path: ${path}`)
  return saying(`error in test for path: '${path}'`, () => getAt(container, key))
}

const applyOperation = (document: Container, entry: Json): Container => {
  const operation = isMap(entry) ? entry : {}
  const op = member(operation, "op")
  const apply = typeof op === "string" && Object.hasOwn(operations, op) ? operations[op] : undefined
  if (apply === undefined) throw refused(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`)
  return apply(document, operation)
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
 * Applies a JSON Patch (RFC 6902) with the liberties of the library that Kubernetes uses: `replace` of a missing member of a
 * map adds it, `test` of a missing member passes against null, `copy` of one copies null, negative indexes count from the
 * end, the whole document cannot be added or removed. All operations or none; the result shares what they left alone.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4 as called by apiserver/pkg/endpoints/handlers/patch.go.
 */
export const applyJsonPatch = (document: unknown, patch: unknown): Result.Result<Json, PatchError> =>
  attempt(() => {
    const list = decodeOperations(patch as Json)
    return isContainer(document as Json) ? list.reduce(applyOperation, document as Container) : (document as Json)
  })
