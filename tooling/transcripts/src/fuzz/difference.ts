import { isObject, type Json } from "../Case.ts"
import { normaliseData, normaliseText } from "../normalise.ts"
import { makePlaceholders } from "../placeholders.ts"
import type { Answer } from "../Requests.ts"
import { protobufEvents, protobufTree } from "./protobuf.ts"

/** An answer, reduced to what does not depend on the run. */
export interface Reduced {
  readonly code: number
  readonly type: string
  readonly warnings: ReadonlyArray<string>
  readonly body: Json
}

/** Addresses and ports that a server allocates. */
const allocated: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b10\.(?:0\.0|96\.\d+|9[6-9]\.\d+|10\d\.\d+|11[01]\.\d+)\.(?!300)\d{1,3}\b/g, "<IP>"],
  [/\b3[0-2]\d{3}\b/g, "<PORT>"]
]

/** Revisions and UIDs that a refused precondition names. */
const preconditions: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /(the ResourceVersion in the precondition \()[^)]*(\) does not match the ResourceVersion in record \()\d+/g,
    "$1$2<RV>"
  ],
  [/(ResourceVersion in precondition: [^,]*, ResourceVersion in object meta: )\d+/g, "$1<RV>"],
  [/(resourceVersion\\*":\\*")\d+/g, "$1<RV>"],
  [/(Too large resource version: \d+, current: )\d+/g, "$1<RV>"],
  [/(too old resource version: \d+ \()\d+/g, "$1<RV>"]
]

/** Where a list in YAML continues, which names a revision. */
const tokens: ReadonlyArray<readonly [RegExp, string]> = [[/^( +continue: )[\w=-]+$/gm, "$1<CONTINUE>"]]

/** The user of the requests, who is named otherwise on each server. */
const users: ReadonlyArray<readonly [RegExp, string]> = [[/\b(?:kubernetes-)?admin\b/g, "<ADMIN>"]]

/** The file by which Go names a scheme, whose folders depend on how the server was built. */
const schemes: ReadonlyArray<readonly [RegExp, string]> = [[/(in scheme \\*")[^"]*?(pkg\/api\/legacyscheme)/g, "$1$2"]]

/** The start of a table as YAML, whose columns are described in words of the server's own. */
const TABLE_AS_YAML = /^apiVersion: meta\.k8s\.io\/v1(?:beta1)?\ncolumnDefinitions:[\s\S]*/

const withoutPorts = (value: Json, key = ""): Json => {
  if (typeof value === "number") return key === "nodePort" && value > 0 ? "<PORT>" : value
  if (Array.isArray(value)) return value.map((item) => withoutPorts(item, key))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutPorts(item, name)]))
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Parses the events of a watch; undefined for another text. */
const parsedLines = (text: string): Json | undefined => {
  const values = text.trim().split("\n").map(parsed)
  return values.includes(undefined) ? undefined : (values as ReadonlyArray<Json>)
}

const fieldOf = (cause: Json): string => (isObject(cause) ? String(cause.field ?? "").replace(/\[[^\]]*\]/g, "[]") : "")

/**
 * Go visits maps in random order: errors that follow each other at one field, whatever its key, are compared sorted, and
 * so are all of an object whose schema is a map of properties.
 */
const withSortedErrors = (body: Json): Json => {
  if (!isObject(body) || body.kind !== "Status" || !isObject(body.details)) return body
  const { causes } = body.details
  if (!Array.isArray(causes) || causes.length < 2) return body
  // Conflicts are gathered by manager, from a map.
  const isUnordered = String(body.details.group ?? "").startsWith("custom.") || body.reason === "Conflict"
  const sorted: Array<Json> = []
  for (let start = 0; start < causes.length; ) {
    let end = start
    while (end < causes.length && (isUnordered || fieldOf(causes[end] ?? null) === fieldOf(causes[start] ?? null)))
      end++
    sorted.push(...causes.slice(start, end).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)))
    start = end
  }
  return { ...body, message: "<ERRORS>", details: { ...body.details, causes: sorted } }
}

/** Sorts the entries of managers: their order depends on the second in which each wrote. */
const withSortedManagers = (value: Json, key = ""): Json => {
  if (Array.isArray(value)) {
    const items = value.map((item) => withSortedManagers(item))
    const texts = (item: Json) => JSON.stringify(canonical(item))
    return key === "managedFields" ? items.sort((a, b) => (texts(a) < texts(b) ? -1 : 1)) : items
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSortedManagers(item, name)]))
}

/** Replaces the random end of a generated name. */
const withoutGeneratedName = (value: Json): Json => {
  if (!isObject(value) || !isObject(value.metadata) || typeof value.metadata.generateName !== "string") return value
  return { ...value, metadata: { ...value.metadata, name: `${value.metadata.generateName}<SUFFIX>` } }
}

/** Reduces the answer of a server. */
export const reduced = ({ body, headers, status, valuesOf }: Answer, server: string, nowMs: number): Reduced => {
  const fill = makePlaceholders({ namespace: "\u0000", server, nowMs, generated: [] })
  const masked = (text: string) =>
    [...allocated, ...preconditions, ...tokens, ...users, ...schemes].reduce(
      (made, [pattern, name]) => made.replace(pattern, name),
      fill(text)
    )
  const text = body.toString("utf8")
  const isProtobuf = headers["content-type"]?.includes("protobuf") === true
  const value = isProtobuf ? (protobufTree(body) ?? protobufEvents(body)) : (parsed(text) ?? parsedLines(text))
  const data =
    value === undefined
      ? normaliseText(text.replace(TABLE_AS_YAML, "<TABLE>"), masked)
      : withSortedManagers(normaliseData(withoutGeneratedName(value), masked, true))
  return {
    code: status,
    type: headers["content-type"] ?? "",
    warnings: [...valuesOf("warning")].map(masked).sort(),
    body: isProtobuf ? data : withSortedErrors(withoutPorts(data))
  }
}

/** Returns an answer without the random end of a name that the server generated, as a refusal names it, too. */
export const withoutSuffix = (answer: Reduced, asked: Json | undefined): Reduced => {
  const object = typeof asked === "string" ? parsed(asked) : asked
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const { generateName } = metadata
  if (typeof generateName !== "string" || generateName === "" || JSON.stringify(asked).length > 100_000) return answer
  const prefix = generateName.slice(0, MAX_PREFIX).replace(/[^\w-]/g, "\\$&")
  const named = new RegExp(`(${prefix})[bcdfghjklmnpqrstvwxz2456789]{5}(?![\\w-])`, "g")
  return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replace(named, "$1<SUFFIX>")) as Json }
}

/** The longest prefix to which a suffix is added. */
const MAX_PREFIX = 58

/** Returns a message without the values that it quotes. */
const shape = (text: string): string =>
  text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\[\d+\]/g, "[]")
    .replace(/-?\b\d[\d.e+]*\b/g, "0")
    .slice(0, 160)

const reasonOf = ({ body, code }: Reduced): string => {
  if (!isObject(body) || body.kind !== "Status") return String(code)
  const causes = isObject(body.details) && Array.isArray(body.details.causes) ? body.details.causes : []
  const [first] = causes
  const cause = isObject(first) ? first : undefined
  const detail = cause === undefined ? String(body.message ?? "") : `${cause.field}: ${cause.message}`
  return `${code} ${shape(detail)}`
}

const pathOfDifference = (left: Json | undefined, right: Json | undefined, at = ""): string => {
  if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (JSON.stringify(left[name]) !== JSON.stringify(right[name])) {
        return pathOfDifference(left[name], right[name], `${at}.${name}`)
      }
    }
    return `${at} (order)`
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    const index = left.findIndex((item, position) => JSON.stringify(item) !== JSON.stringify(right[position]))
    return pathOfDifference(left[index], right[index], `${at}[]`)
  }
  const shown = (value: Json | undefined) => (value === undefined ? "absent" : shape(JSON.stringify(value)))
  return `${at}: ${shown(left)} | ${shown(right)}`
}

/** Returns the sort keys of an object's fields, so that their order does not count. */
const canonical = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, canonical(value[name] ?? null)])
  )
}

/** Returns how two answers differ, with what such differences have in common; undefined if they are equal. */
export const difference = (genuine: Reduced, ours: Reduced): string | undefined => {
  if (genuine.code !== ours.code) return `${reasonOf(genuine)} → ${reasonOf(ours)}`
  const [left, right] = [canonical(genuine.body), canonical(ours.body)]
  if (JSON.stringify(left) !== JSON.stringify(right)) {
    if (genuine.code >= 400) return `${reasonOf(genuine)} → ${reasonOf(ours)}`
    return `body ${pathOfDifference(left, right)}`
  }
  if (genuine.type !== ours.type) return `type ${genuine.type} → ${ours.type}`
  if (JSON.stringify(genuine.warnings) !== JSON.stringify(ours.warnings)) {
    return `warnings ${shape(genuine.warnings.join("; "))} → ${shape(ours.warnings.join("; "))}`
  }
  return undefined
}
