import { dump, YAML11_SCHEMA } from "js-yaml"
import type { Steps } from "../../core/turns/Steps.ts"
import { resolvePlain } from "./yamlScalars.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * Texts that need no quotes in any context, unless they would be read as another value (`yes`, `1e3`), which the caller
 * excludes.
 */
const alwaysPlain = /^[A-Za-z_/](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./-])?$/

/** Single-line texts that need no escapes within double quotes. */
const withoutEscapes = /^[ !#-[\]-~]*$/
/** Texts that must be quoted because a parser would take part of them for syntax. */
const neverPlain = /: |:$| #|^ | $|^[&*!|>%@`#{}[\],]/

/** What `libraryText` gives the library to write before and after the text. */
const BEFORE = "a: "
const AFTER = "b: 0\n"

/**
 * Returns a text as the library formats it as a member of a map with a member after it: the form of a multi-line text
 * depends on what surrounds it. A text that contains `"` and no `'` needs no escapes in single quotes.
 */
const libraryText = (text: string): string => {
  const quoteStyle = text.includes('"') && !text.includes("'") ? "single" : "double"
  return dump({ a: text, b: 0 }, { schema: YAML11_SCHEMA, lineWidth: -1, quoteStyle }).slice(
    BEFORE.length,
    -AFTER.length - 1
  )
}

/** How many formatted texts a document caches: field names are repeated often. */
const MAX_CACHED_TEXTS = 1024

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

/** The number of lines between two yields. */
const LINES_PER_STEP = 512

class YamlWriter {
  private lines: Array<string> = []
  private readonly open: Array<Open> = []
  private readonly texts = new Map<string, string>()

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
        this.begin(before, indent, value as Fields, names.sort())
        return
      }
    }
    this.lines.push(`${before}${before === "" || before.endsWith(" ") ? "" : " "}${this.scalar(value, indent)}`)
  }

  /** Lists are at the indentation of their key; a list or map in a list starts on its line. */
  private begin(before: string, indent: string, value: Open["value"], names: Open["names"]): void {
    const inLine = before === "" || before.endsWith("- ")
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
      this.value(`${start}- `, `${indent}  `, (value as ReadonlyArray<unknown>)[at])
      return
    }
    const name = names[at] as string
    const inner = (value as Fields)[name]
    const key = `${start}${name.includes("\n") ? JSON.stringify(name) : this.text(name, indent)}:`
    this.value(key, Array.isArray(inner) ? indent : `${indent}  `, inner)
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

  private scalar(value: unknown, indent: string): string {
    if (typeof value === "string") return this.text(value, indent)
    if (Array.isArray(value)) return "[]"
    return typeof value === "object" && value !== null ? "{}" : String(value ?? null)
  }

  private text(text: string, indent: string): string {
    const isText = typeof resolvePlain(text) === "string"
    if (isText && alwaysPlain.test(text)) return text
    if ((!isText || neverPlain.test(text)) && withoutEscapes.test(text)) return `"${text}"`
    let written = this.texts.get(text)
    if (written === undefined) {
      written = libraryText(text)
      if (this.texts.size < MAX_CACHED_TEXTS) this.texts.set(text, written)
    }
    if (!written.includes("\n")) return written
    // The library indented the lines of the text for a map at the margin; they need the indentation of this place.
    const inner = indent.slice(2)
    return written.replace(/\n(?=[^\n])/g, `\n${inner}`)
  }
}

/** Formats an object as sigs.k8s.io/yaml does: keys sorted at every level, lists at the indentation of their key. */
export const writeYamlInSteps = (object: unknown): Steps<string> => new YamlWriter().documentInSteps(object)
