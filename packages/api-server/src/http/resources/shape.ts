import { badRequest, escapeHtml, type KubeObject, type ListMeta, type Status, unknownError } from "@rollcall/api"
import { ErrorList, fieldErrorsText, typed } from "@rollcall/api/validation"
import { withSortedKeys } from "@rollcall/api/values"
import { type IncludeObject, lazyTableOf, partialObjectMetadata, type TableOptions, tableOf } from "@rollcall/printers"
import type { HandleError } from "@rollcall/time"
import { isCustom, type KindDefinition } from "../../core/registry/KindDefinition.ts"
import { printerOfBody } from "../../core/registry/printers.ts"
import { objectJson } from "../../core/watch/objectJson.ts"
import type { Call } from "../call/Call.ts"
import type { LazyList } from "../call/ListStream.ts"
import { isPretty, sendList, sendStatus, sendValue } from "../call/respond.ts"
import { wrongRepresentation } from "./refusals.ts"

interface ListBody {
  readonly metadata: ListMeta
  readonly items: ReadonlyArray<KubeObject>
}

const isList = (body: unknown): body is ListBody =>
  typeof body === "object" && body !== null && "items" in body && Array.isArray(body.items)

const isStatusBody = (body: unknown): body is Status =>
  typeof body === "object" && body !== null && "kind" in body && body.kind === "Status"

const isIncludeObject = (text: string): text is IncludeObject =>
  text === "None" || text === "Metadata" || text === "Object"

/** Returns `includeObject` of the query; undefined if it is invalid. */
export const includeObjectOf = (call: Call): IncludeObject | undefined => {
  const text = call.query.text("includeObject") ?? ""
  if (text === "") return "Metadata"
  return isIncludeObject(text) ? text : undefined
}

/** Returns the 400 for an invalid `includeObject`. */
export const badIncludeObject = (call: Call): Status => {
  const errors = new ErrorList()
  const detail = "must be 'Metadata', 'Object', 'None', or empty"
  errors.invalid("includeObject", typed(call.query.text("includeObject")), detail)
  return badRequest(`Unable to convert to Table as requested: ${fieldErrorsText(errors.all)}`)
}

/** What printing objects needs: the current time in milliseconds, for ages, and a handler of its errors. */
export interface ShapeContext {
  readonly now: () => number
  readonly handleError: HandleError
}

/**
 * Sends a body of the server in the negotiated representation: as a table, as metadata, or unchanged. `definition` is
 * that of the objects; undefined for a virtual resource, which has no other representation.
 */
export const sendShaped = (
  call: Call,
  definition: KindDefinition | undefined,
  code: number,
  body: unknown,
  warnings: ReadonlyArray<string>,
  { handleError, now }: ShapeContext
) => {
  if (isStatusBody(body)) {
    return body.status === "Failure" ? sendStatus(call, body, warnings) : sendValue(call, code, body, warnings)
  }
  const as = call.negotiated?.as
  const isInPieces = isList(body) && (call.negotiated?.encoding ?? "json") === "json" && !isPretty(call)
  if (as === "PartialObjectMetadata" && definition === undefined && !isList(body)) {
    const { version = "v1" } = call.negotiated ?? {}
    return sendValue(call, code, partialObjectMetadata(body as KubeObject, version), warnings)
  }
  if (as === "PartialObjectMetadataList" && definition === undefined && !isList(body)) {
    return sendStatus(call, wrongRepresentation(as, "not a list", goTypeOf(body as KubeObject, false)), warnings)
  }
  if (as === undefined || definition === undefined) {
    const hasTypes = definition !== undefined && isCustom(definition)
    const shown = hasTypes && isList(body) ? withContinue(body) : body
    const lazy = hasTypes ? lazyCustomList : lazyList
    const isKept = definition !== undefined && call.info.verb === "list"
    return isInPieces
      ? sendList(call, code, { ...lazy(shown as ListBody, jsonOf(hasTypes)), isKept }, warnings)
      : sendValue(call, code, hasTypes ? shown : withoutItemTypes(body), warnings)
  }
  const onUnprintable = (object: KubeObject, error: unknown) => {
    const { metadata } = object
    handleError("table row", error, { kind: definition.key, namespace: metadata?.namespace, name: metadata?.name })
  }
  const printing = { nowMs: now(), version: call.negotiated?.version ?? "v1", onUnprintable }
  const lazy = isInPieces ? lazyShape(call, definition, body, printing) : undefined
  if (lazy !== undefined) return sendList(call, code, lazy, warnings)
  const shaped = shapedBody(call, definition, body, printing)
  if (isStatusBody(shaped)) sendStatus(call, shaped, warnings)
  else sendValue(call, code, shaped, warnings)
}

/** Returns a list of custom resources as Go writes it: its `continue` is a text, also an empty one. */
const withContinue = (body: ListBody): ListBody => ({
  ...body,
  metadata: { continue: "", ...body.metadata }
})

const lazyList = ({ items, ...head }: ListBody, textOf: LazyList["textOf"]): LazyList => ({
  head,
  field: "items",
  objects: items,
  textOf
})

/** Returns a list of custom resources, which Go writes as a map: with sorted keys. */
const lazyCustomList = (body: ListBody, textOf: LazyList["textOf"]): LazyList => {
  const { apiVersion, kind } = body as ListBody & Pick<KubeObject, "apiVersion" | "kind">
  const tail = { kind, metadata: withSortedKeys(body.metadata) }
  return { head: { apiVersion }, field: "items", objects: body.items, textOf, tail }
}

/** Only items of custom resources have kind and apiVersion: Go's list of any other kind knows the type of its items. */
const jsonOf = (hasTypes: boolean): LazyList["textOf"] =>
  hasTypes ? objectJson : (object) => withoutTypes(object, objectJson(object))

/** Returns the JSON of an object without kind and apiVersion, which come first in the objects of nearly all clients. */
const withoutTypes = (object: KubeObject, json: string): string => {
  const { apiVersion, kind } = object
  for (const start of [
    `{"kind":"${kind}","apiVersion":"${apiVersion}",`,
    `{"apiVersion":"${apiVersion}","kind":"${kind}",`
  ]) {
    if (json.startsWith(start)) return `{${json.slice(start.length)}`
  }
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = JSON.parse(json)
  return escapeHtml(JSON.stringify(rest))
}

/** Returns a list whose items have no kind and apiVersion; any other body unchanged. */
const withoutItemTypes = (body: unknown): unknown =>
  isList(body) ? { ...body, items: body.items.map(({ apiVersion: _apiVersion, kind: _kind, ...item }) => item) } : body

/** Returns a list in another representation; undefined if that cannot be produced in pieces. */
const lazyShape = (
  call: Call,
  definition: KindDefinition,
  body: ListBody,
  printing: Pick<TableOptions, "nowMs" | "version" | "onUnprintable">
): LazyList | undefined => {
  const { as, version = "v1" } = call.negotiated ?? {}
  const apiVersion = `meta.k8s.io/${version}`
  const { items, metadata } = body
  if (as === "PartialObjectMetadataList") {
    const head = { kind: as, apiVersion, metadata }
    const textOf = (object: KubeObject) => escapeHtml(JSON.stringify(partialObjectMetadata(object, version)))
    return items.length === 0 ? undefined : { head, field: "items", objects: items, textOf }
  }
  const includeObject = includeObjectOf(call)
  if (as !== "Table" || includeObject === undefined) return undefined
  const printer = printerOfBody(definition, body)
  if (items.length === 0) return undefined
  const { head, objects, rowOf } = lazyTableOf(printer, items, { ...printing, listMeta: metadata, includeObject })
  return { head, field: "rows", objects, textOf: (object) => escapeHtml(JSON.stringify(rowOf(object))) }
}

/** Returns a body in another representation, or the Status that refuses it. */
const shapedBody = (
  call: Call,
  definition: KindDefinition,
  body: unknown,
  printing: Pick<TableOptions, "nowMs" | "version" | "onUnprintable">
): unknown => {
  const { as, version = "v1" } = call.negotiated ?? {}
  const apiVersion = `meta.k8s.io/${version}`
  const list = isList(body)
  if (as === "Table") {
    const includeObject = includeObjectOf(call)
    if (includeObject === undefined) return badIncludeObject(call)
    const printer = printerOfBody(definition, body)
    if (!list) return tableOf(printer, [body as KubeObject], { ...printing, includeObject })
    const table = tableOf(printer, body.items, { ...printing, listMeta: body.metadata, includeObject })
    return body.items.length === 0 && printer.hasNullRows === true ? { ...table, rows: null } : table
  }
  if (as === "PartialObjectMetadata") {
    return list
      ? wrongRepresentation(
          "PartialObjectMetadata",
          "a list",
          goTypeOf(body as unknown as KubeObject, isCustom(definition))
        )
      : partialObjectMetadata(body as KubeObject, version)
  }
  const { kind } = definition.resource
  // A custom resource passes for a list until its items are read.
  if (!list && isCustom(definition) && (body as KubeObject).kind === kind) return unknownError("content is not a list")
  if (!list)
    return wrongRepresentation(
      "PartialObjectMetadataList",
      "not a list",
      goTypeOf(body as KubeObject, isCustom(definition))
    )
  const { items, metadata } = body
  return {
    kind: "PartialObjectMetadataList",
    apiVersion,
    metadata,
    // Upstream appends to a slice that is nil until there is an item.
    items: items.length === 0 ? null : items.map((item) => partialObjectMetadata(item, version))
  }
}

/** Returns the Go type of an object: the internal one of its kind, except for custom resources and their scales. */
const goTypeOf = ({ apiVersion, kind }: KubeObject, custom: boolean): string => {
  const [group = "", version] = apiVersion.split("/")
  if (custom && kind === "Scale") return `${version}.${kind}`
  if (custom) return `unstructured.Unstructured${kind.endsWith("List") ? "List" : ""}`
  // Events of both groups are one internal type.
  return `${version === undefined || group === "events.k8s.io" ? "core" : group.split(".")[0]}.${kind}`
}
