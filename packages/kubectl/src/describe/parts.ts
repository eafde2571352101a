import type { Event, KubeObject } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import type { Writer } from "./Writer.ts"

type Texts = Readonly<Record<string, string>>

const hiddenAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"]
const MAX_ANNOTATION = 140

const shorten = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text)

/** Writes a title with one line for each entry. */
export const writeList = (out: Writer, title: string, lines: ReadonlyArray<string>): void => {
  if (lines.length === 0) out.line(0, `${title}:`, "<none>")
  for (const [index, line] of lines.entries()) out.line(0, index === 0 ? `${title}:` : "", line)
}

export const writeLabels = (out: Writer, title: string, labels: Texts | undefined, indent = ""): void =>
  writeList(
    out,
    `${indent}${title}`,
    Object.entries(labels ?? {})
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, value]) => `${key}=${value}`)
  )

export const writeAnnotations = (out: Writer, title: string, annotations: Texts | undefined): void => {
  const lines = Object.entries(annotations ?? {})
    .filter(([key]) => !hiddenAnnotations.includes(key))
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([key, given]) => {
      const value = given.replace(/\n$/, "")
      if (value.length + key.length + 2 <= MAX_ANNOTATION && !value.includes("\n")) return [`${key}: ${value}`]
      return [`${key}:`, ...value.split("\n").map((line) => `  ${shorten(line, MAX_ANNOTATION - 2)}`)]
    })
  writeList(out, title, lines)
}

/** Writes the name, namespace, labels and annotations at the start of most descriptions. */
export const writeHead = (
  out: Writer,
  { metadata }: KubeObject,
  options: { readonly namespaced?: boolean } = {}
): void => {
  out.line(0, "Name:", metadata.name ?? "")
  if (options.namespaced !== false) out.line(0, "Namespace:", metadata.namespace ?? "")
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
}

const intervalOf = ({ count, eventTime, firstTimestamp, lastTimestamp, series }: Event, nowMs: number): string => {
  const first = ageOf(eventTime ?? firstTimestamp, nowMs)
  if (series !== undefined) return `${ageOf(series.lastObservedTime, nowMs)} (x${series.count ?? 0} over ${first})`
  return (count ?? 0) > 1 ? `${ageOf(lastTimestamp, nowMs)} (x${count} over ${first})` : first
}

const seenLast = ({ lastTimestamp }: Event): string => lastTimestamp ?? ""

const byLast = (left: Event, right: Event): number => {
  const [before, after] = [seenLast(left), seenLast(right)]
  return before === after ? 0 : before < after ? -1 : 1
}

/** Writes the events of an object; undefined: they could not be read, and nothing is written. */
export const writeEvents = (out: Writer, events: ReadonlyArray<Event> | undefined, nowMs: number): void => {
  if (events === undefined) return
  if (events.length === 0) {
    out.line(0, "Events:", "<none>")
    return
  }
  out.flush()
  out.line(0, "Events:")
  out.line(1, "Type", "Reason", "Age", "From", "Message")
  out.line(1, "----", "------", "----", "----", "-------")
  for (const event of events.toSorted(byLast)) {
    const from = event.source?.component || (event.reportingComponent ?? "")
    out.line(1, event.type ?? "", event.reason ?? "", intervalOf(event, nowMs), from, (event.message ?? "").trim())
  }
}
