import { goFloat } from "@rollcall/api/text"
import { runAllSteps, type Steps } from "@rollcall/time"
import { compareKeys } from "./keyOrder.ts"
import { formatText } from "./textForms.ts"

type Fields = Readonly<Record<string, unknown>>

/** Returns the value that JSON.stringify would write: that of `toJSON`, if there is one. */
const jsonValueOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON()
    : value

/** A list or map of which entries are still to be written; `next` is the index of the first. */
interface Open {
  readonly value: Fields | ReadonlyArray<unknown>
  /** The keys of a map; undefined for a list. */
  readonly names: ReadonlyArray<string> | undefined
  /** The text before the first entry on its line. */
  readonly before: string
  readonly indent: string
  next: number
}

const STEP = "  "

/** The size of the longest key that is followed by its value. Upstream: goyaml.v2, yaml_emitter_check_simple_key. */
const MAX_KEY_BYTES = 128

/** The number of lines between two yields. */
const LINES_PER_STEP = 512

class YamlWriter {
  private lines: Array<string> = []
  private readonly open: Array<Open> = []

  /** Writes a value after `before` on its line; further lines get this indentation. */
  private value(before: string, indent: string, given: unknown): void {
    const value = jsonValueOf(given)
    if (Array.isArray(value) && value.length > 0) {
      this.begin(before, indent, value, undefined)
      return
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const names = Object.keys(value).filter((name) => (value as Fields)[name] !== undefined)
      if (names.length > 0) {
        this.begin(before, indent, value as Fields, names.sort(compareKeys))
        return
      }
    }
    const start = `${before}${before === "" || before.endsWith(" ") ? "" : " "}`
    // A value is written within its map or list, whose indentation is one step less.
    this.lines.push(`${start}${scalar(value, start.length, indent.slice(STEP.length))}`)
  }

  /** Lists are at the indentation of their key; a list or map in a list, or of a long key, starts on its line. */
  private begin(before: string, indent: string, value: Open["value"], names: Open["names"]): void {
    const inLine = before === "" || before.endsWith("- ") || before.endsWith(": ")
    if (!inLine) this.lines.push(before)
    this.open.push({ value, names, before: inLine && before !== "" ? before : indent, indent, next: 0 })
  }

  private entry(place: Open): void {
    const { before, indent, names, value } = place
    if (place.next === (names ?? (value as ReadonlyArray<unknown>)).length) {
      this.open.pop()
      return
    }
    const at = place.next++
    const start = at === 0 ? before : indent
    if (names === undefined) {
      this.value(`${start}- `, `${indent}${STEP}`, (value as ReadonlyArray<unknown>)[at])
      return
    }
    const name = names[at] as string
    const inner = (value as Fields)[name]
    if (Buffer.byteLength(name) > MAX_KEY_BYTES) {
      const column = start.length + STEP.length
      this.lines.push(`${start}? ${formatText(name, { column, indent, isKey: false })}`)
      this.value(`${indent}: `, `${indent}${STEP}`, inner)
      return
    }
    const key = `${start}${formatText(name, { column: start.length, indent, isKey: true })}:`
    const isList = Array.isArray(inner) && inner.length > 0
    this.value(key, isList ? indent : `${indent}${STEP}`, inner)
  }

  /** Returns the document, ending in a newline. */
  *documentInSteps(value: unknown): Steps<string> {
    const parts: Array<string> = []
    this.value("", "", value)
    for (let place = this.open.at(-1); place !== undefined; place = this.open.at(-1)) {
      this.entry(place)
      if (this.lines.length < LINES_PER_STEP) continue
      parts.push(this.lines.join("\n"))
      this.lines = []
      yield
    }
    if (this.lines.length > 0) parts.push(this.lines.join("\n"))
    return `${parts.join("\n")}\n`
  }
}

/** The first float64 beyond all of uint64, and the first that is no int64. */
const BEYOND_UINT64 = 2 ** 64
const BEYOND_INT64 = -(2 ** 63)

/** Formats a number as goyaml does, which reads it from JSON: what is not written there as an integer is a float64. */
const numberText = (value: number): string =>
  Number.isInteger(value) && value > BEYOND_INT64 && value < BEYOND_UINT64 ? String(value) : goFloat(value)

const scalar = (value: unknown, column: number, indent: string): string => {
  if (typeof value === "string") return formatText(value, { column, indent, isKey: false })
  if (Array.isArray(value)) return "[]"
  if (typeof value === "number" && Number.isFinite(value)) return numberText(value)
  return typeof value === "object" && value !== null ? "{}" : String(value ?? null)
}

/** Formats an object as sigs.k8s.io/yaml does: keys sorted at every level, lists at the indentation of their key. */
export const writeYamlInSteps = (object: unknown): Steps<string> => new YamlWriter().documentInSteps(object)

/** Does the work of `writeYamlInSteps` in one piece, without pauses. */
export const writeYaml = (object: unknown): string => runAllSteps(writeYamlInSteps(object))
