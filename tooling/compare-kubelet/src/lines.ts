import { joinedAlike, orderedEvents } from "./joined.ts"
import type { KubeletRequest, Life } from "./Life.ts"

/** One line of a life, and when it happened in seconds. */
export interface Line {
  readonly text: string
  /** Whether it is a field of the request before it. */
  readonly isField: boolean
  readonly at: number
}

const MARKS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "<time>"],
  [/^[a-z]+:\/\/[0-9a-f-]{16,}\S*$/, "<container>"],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "<uid>"]
]

const WITHIN: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(\d{1,3}\.){3}\d{1,3}\b/g, "<ip>"],
  [/\(?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)?/g, "<uid>"],
  [/(?<=, used: )\d+/g, "<used>"],
  [/(?<= in |\()\d+(\.\d+)?(ms|s)\b/g, "<duration>"]
]

/** The fields whose values are another node's or another server's. */
const MARKED_FIELDS: Readonly<Record<string, string>> = {
  uid: "<uid>",
  resourceVersion: "<version>",
  imageID: "<image>",
  containerID: "<container>"
}

/** `<object>.<hexadecimal nanoseconds>` */
const EVENT_NAME = /\.[0-9a-f]{16}$/

const valueText = (field: string, value: unknown, node: string): string => {
  if (typeof value !== "string") return JSON.stringify(value)
  const mark = value === "" ? undefined : MARKED_FIELDS[field]
  if (mark !== undefined) return mark
  if (value === node) return "<node>"
  if (field === "name" && EVENT_NAME.test(value)) return "<event>"
  for (const [pattern, text] of MARKS) if (pattern.test(value)) return text
  return JSON.stringify(WITHIN.reduce((text, [pattern, by]) => text.replace(pattern, by), value))
}

/** The fields by which items of lists are named in a line. */
const KEYS = ["type", "name", "ip", "uid"] as const

const itemKey = (item: unknown, index: number, node: string): string => {
  if (typeof item !== "object" || item === null) return String(index)
  const fields = item as Readonly<Record<string, unknown>>
  for (const key of KEYS)
    if (typeof fields[key] === "string") return JSON.parse(`"${valueText(key, fields[key], node).replaceAll('"', "")}"`)
  return String(index)
}

/** Returns a list that the API merges by types, in the order of these: that of a patch has no effect. */
const inOrder = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const types = list.map((item) => (item as { readonly type?: unknown } | null)?.type)
  if (!types.every((type) => typeof type === "string")) return list
  const order = new Map(list.map((item, index) => [item, types[index] as string]))
  return list.toSorted((left, right) => ((order.get(left) ?? "") < (order.get(right) ?? "") ? -1 : 1))
}

/** Adds a line for each field of a value: `status.conditions[Ready].status: "True"`. */
const flatten = (path: string, field: string, value: unknown, node: string, out: Array<string>): void => {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of inOrder(value).entries())
      flatten(`${path}[${itemKey(item, index, node)}]`, "", item, node, out)
  } else if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    // Two transitions in one second have one time, so that it is part of a patch or not by chance.
    const hidden = "status" in value ? "lastTransitionTime" : ""
    for (const [name, inner] of Object.entries(value)
      .filter(([name]) => name !== hidden)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)))
      flatten(path === "" ? name : `${path}.${name}`, name, inner, node, out)
  } else out.push(`${path}: ${valueText(field, value, node)}`)
}

/**
 * How Go encodes what it patches, without an effect: the order of merged lists, empty structs, times that are not set;
 * whole lists of addresses; and a precondition that the genuine kubelet does without, because it has read the pod.
 */
const ENCODING =
  /\$setElementOrder\/|\$patch: "replace"$|: \{\}$|\.(lastProbeTime|startedAt|finishedAt): null$|^metadata\.resourceVersion: |^apiVersion: |^kind: /

const linesOf = (request: KubeletRequest, node: string): ReadonlyArray<Line> => {
  const { at, body, code, name, resource, verb } = request
  const fields: Array<string> = []
  if (body !== undefined) flatten("", "", body, node, fields)
  const told = fields.filter((text) => !ENCODING.test(text))
  const shown = resource === "events" ? "" : ` ${name}`
  const header: Line = { text: `${verb} ${resource}${shown} ${code}`, isField: false, at }
  return [header, ...told.map((text): Line => ({ text: `  ${text}`, isField: true, at }))]
}

const isEvent = ({ resource }: KubeletRequest): boolean => resource === "events"
/** Reads are left out, and what comes too late for a pod that is gone: only the genuine kubelet reads before it patches. */
const isWrite = ({ code, verb }: KubeletRequest): boolean => !["get", "list", "watch"].includes(verb) && code !== 404

const textOf = (request: KubeletRequest, node: string): string =>
  linesOf(request, node)
    .map(({ text }) => text)
    .join("\n")

/** The lines of two lives, in which patches are joined alike. */
interface ComparedLines {
  readonly genuine: ReadonlyArray<Line>
  readonly ours: ReadonlyArray<Line>
}

/** Returns the parts of two lives, each with its lines in order: Events are written beside other requests, in no fixed order. */
export const linesOfLives = (genuine: Life, ours: Life): ReadonlyArray<ComparedLines> => {
  const writes = ({ requests }: Life) => requests.filter((one) => isWrite(one) && !isEvent(one))
  const events = ({ requests }: Life) => orderedEvents(requests.filter((one) => isWrite(one) && isEvent(one)))
  const [left, right] = joinedAlike(
    writes(genuine),
    writes(ours),
    (one, other) => textOf(one, genuine.node) === textOf(other, ours.node)
  )
  const lines = (requests: ReadonlyArray<KubeletRequest>, { node }: Life) =>
    requests.flatMap((one) => linesOf(one, node))
  return [
    { genuine: lines(left, genuine), ours: lines(right, ours) },
    { genuine: lines(events(genuine), genuine), ours: lines(events(ours), ours) }
  ]
}
