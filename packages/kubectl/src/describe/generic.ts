import type { Event, KubeObject } from "@rollcall/api"
import { writeEvents, writeHead } from "./parts.ts"
import { Writer } from "./Writer.ts"

const acronyms = ["API", "URL", "UID", "OSB", "GUID"]
const shownAbove = [
  ".metadata.managedFields",
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.labels",
  ".metadata.annotations"
]

/** Returns the label of a field: `leaseDurationSeconds` becomes `Lease Duration Seconds`. */
const labelOf = (field: string): string => {
  if (/[^\p{L}-]/u.test(field)) return field
  const parts = field.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|-+/gu) ?? [field]
  return parts
    .map((part) => {
      const upper = part.toUpperCase()
      return acronyms.includes(upper) ? upper : part.slice(0, 1).toUpperCase() + part.slice(1)
    })
    .join(" ")
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const goText = (value: unknown): string => (value === null || value === undefined ? "<nil>" : String(value))

const writeContent = (out: Writer, level: number, content: Readonly<Record<string, unknown>>, path: string): void => {
  for (const field of Object.keys(content).toSorted()) {
    const value = content[field]
    const place = `${path}.${field}`
    if (value === undefined || shownAbove.includes(place)) continue
    if (isMap(value)) {
      out.line(level, `${labelOf(field)}:`)
      writeContent(out, level + 1, value, place)
    } else if (Array.isArray(value)) {
      out.line(level, `${labelOf(field)}:`)
      for (const child of value) {
        if (isMap(child)) writeContent(out, level + 1, child, place)
        else out.line(level + 1, goText(child))
      }
    } else out.line(level, `${labelOf(field)}:`, goText(value))
  }
}

/** Describes an object of any kind, field by field. Upstream: kubectl/pkg/describe/describe.go, genericDescriber. */
export const describeGeneric = (
  object: KubeObject,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
): string => {
  const out = new Writer()
  writeHead(out, object)
  const { apiVersion, kind, ...rest } = object
  out.line(0, "API Version:", apiVersion).line(0, "Kind:", kind)
  writeContent(out, 0, rest, "")
  writeEvents(out, events, nowMs)
  return out.text
}
