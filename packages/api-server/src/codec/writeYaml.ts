import { dump, YAML11_SCHEMA } from "js-yaml"
import type { Steps } from "../pipeline/Steps.ts"
import { resolvePlain } from "./yamlScalars.ts"

type Fields = Readonly<Record<string, unknown>>

/** A text that is plain whatever stands around it; one that a reader takes for another value (`yes`, `1e3`) is told apart below. */
const simple = /^[A-Za-z_/](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./-])?$/

/** A text of one line that is plain nowhere, and needs quotes but no escapes. */
const quotable = /^[ !#-[\]-~]*$/
const notPlain = /: |:$| #|^ | $|^[&*!|>%@`#{}[\],]/

/** A text of several lines is written by what it stands in, and by whether something follows. */
const BEFORE = "a: "
const AFTER = "b: 0\n"

/** With `"` in it, and no `'`, single quotes need no escapes. */
const scalarText = (text: string): string => {
  const quoteStyle = text.includes('"') && !text.includes("'") ? "single" : "double"
  return dump({ a: text, b: 0 }, { schema: YAML11_SCHEMA, lineWidth: -1, quoteStyle }).slice(
    BEFORE.length,
    -AFTER.length - 1
  )
}

/** Texts of one line that were asked for: names of fields come again and again. */
const MAX_TEXTS = 1024

/** As JSON.stringify takes what says itself how it is written. */
const plainOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON()
    : value

/** Between two pauses. */
const ENTRIES = 512

class YamlWriter {
  private readonly lines: Array<string> = []
  private count = 0
  private readonly texts = new Map<string, string>();

  /** The document, with a newline at its end. */
  *document(value: unknown): Steps<string> {
    yield* this.value("", "", value)
    return `${this.lines.join("\n")}\n`
  }

  /** Writes a value behind what stands on its line; what does not fit there goes on lines of this indentation. */
  private *value(before: string, indent: string, given: unknown): Steps<void> {
    const value = plainOf(given)
    if (Array.isArray(value) && value.length > 0) {
      yield* this.list(before, indent, value)
      return
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const names = Object.keys(value).filter((name) => (value as Fields)[name] !== undefined)
      if (names.length > 0) {
        yield* this.map(before, indent, value as Fields, names.sort())
        return
      }
    }
    this.lines.push(`${before}${before === "" || before.endsWith(" ") ? "" : " "}${this.scalar(value, indent)}`)
  }

  /** Lists stand at the indentation of their name, and a list in a list on its line. */
  private *list(before: string, indent: string, list: ReadonlyArray<unknown>): Steps<void> {
    const inLine = before === "" || before.endsWith("- ")
    if (!inLine) this.lines.push(before)
    for (const [index, item] of list.entries()) {
      yield* this.value(`${index === 0 && inLine && before !== "" ? before : indent}- `, `${indent}  `, item)
      if (++this.count % ENTRIES === 0) yield
    }
  }

  private *map(before: string, indent: string, map: Fields, names: ReadonlyArray<string>): Steps<void> {
    const inLine = before === "" || before.endsWith("- ")
    if (!inLine) this.lines.push(before)
    for (const [index, name] of names.entries()) {
      const start = index === 0 && inLine && before !== "" ? before : indent
      const value = map[name]
      const key = `${start}${name.includes("\n") ? JSON.stringify(name) : this.text(name, indent)}:`
      yield* this.value(key, Array.isArray(value) ? indent : `${indent}  `, value)
      if (++this.count % ENTRIES === 0) yield
    }
  }

  private scalar(value: unknown, indent: string): string {
    if (typeof value === "string") return this.text(value, indent)
    if (Array.isArray(value)) return "[]"
    return typeof value === "object" && value !== null ? "{}" : String(value ?? null)
  }

  private text(text: string, indent: string): string {
    const isText = typeof resolvePlain(text) === "string"
    if (isText && simple.test(text)) return text
    if ((!isText || notPlain.test(text)) && quotable.test(text)) return `"${text}"`
    let written = this.texts.get(text)
    if (written === undefined) {
      written = scalarText(text)
      if (this.texts.size < MAX_TEXTS) this.texts.set(text, written)
    }
    if (!written.includes("\n")) return written
    // A text of several lines is written as if it stood at the margin.
    const inner = indent.slice(2)
    return written.replace(/\n(?=[^\n])/g, `\n${inner}`)
  }
}

/** An object as sigs.k8s.io/yaml writes it: keys sorted at every level, lists at the indentation of their name. */
export const writingYaml = (object: unknown): Steps<string> => new YamlWriter().document(object)
