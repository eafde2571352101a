import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A template is invalid, or cannot be applied to the data. The message is upstream's. */
export class JsonPathError extends Schema.TaggedError<JsonPathError>()("JsonPathError", { message: Schema.String }) {}

/** One step of a path: it maps the current values to the next. */
export type PathStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "wildcard" }
  | { readonly type: "recursive" }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "slice"; readonly from?: number; readonly to?: number; readonly step?: number }
  | { readonly type: "union"; readonly paths: ReadonlyArray<Path> }
  /** The operator "exists" has an empty right side. */
  | { readonly type: "filter"; readonly left: Path; readonly operator: string; readonly right: Path }
  | { readonly type: "literal"; readonly value: string | number | boolean }

export type Path = ReadonlyArray<PathStep>

/**
 * A part of a template: a path in braces, or `{range …}…{end}` around a repeated body. Literal text is a path of one
 * literal.
 */
export type JsonPathPart =
  | { readonly type: "path"; readonly path: Path }
  | { readonly type: "range"; readonly path: Path; readonly body: ReadonlyArray<JsonPathPart> }
export type JsonPath = ReadonlyArray<JsonPathPart>

const fail = (message: string): never => {
  throw new JsonPathError({ message })
}

const terminators = " \t\r\n.,[]$@{}"
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }
const integer = /^[+-]?\d+$/
const sliceText = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text)

/** Parses the content of brackets: `*`, `0`, `1:3`, `'key'`, or several of these separated by commas. */
const bracketSteps = (content: string): Path => {
  const text = content === "*" ? ":" : content
  const choices = text.split(",")
  if (choices.length > 1) return [{ type: "union", paths: choices.map((choice) => bracketSteps(choice.trim())) }]
  const key = /^'([^']*)'$/.exec(text)
  if (key !== null) return new Scanner(`.${key[1]}`).path()
  const slice = sliceText.exec(text)
  if (slice === null || text === "") return fail(`invalid array index ${text}`)
  const [, from, to, step] = slice
  if (to === undefined) return [{ type: "index", index: Number(from) }]
  const parts = { from: numberOf(from), to: numberOf(to), step: numberOf(step) }
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
  return [{ type: "slice", ...given }]
}

/** Parses one path; `end` is the position where it stopped: after the closing brace for a path in braces. */
class Scanner {
  private readonly text: string
  private at: number

  constructor(text: string, at = 0) {
    this.text = text
    this.at = at
  }

  get end(): number {
    return this.at
  }

  /** Parses up to the closing brace (`braced`) or the end of the text. `keyword` handles a word that is not a step. */
  path(braced = false, keyword: (word: string) => void = (word) => fail(`unrecognized identifier ${word}`)): Path {
    const steps: Array<PathStep> = []
    for (;;) {
      const char = this.text[this.at]
      if (char === undefined || char === "\n" || char === "\r") {
        if (braced || char !== undefined) return fail("unclosed action")
        return steps
      }
      if (char === "}" && braced) {
        this.at++
        return steps
      }
      if (this.text.startsWith("[?(", this.at)) steps.push(this.filter())
      else if (this.text.startsWith("..", this.at)) this.recursive(steps)
      else if (char === " " || char === "@" || char === "$") this.at++
      else if (char === "[") steps.push(...this.brackets())
      else if (char === '"' || char === "'") steps.push({ type: "literal", value: this.quoted(char) })
      else if (char === ".") {
        this.at++
        steps.push(this.field())
      } else if (/[+\-\d]/.test(char)) steps.push({ type: "literal", value: this.number() })
      else if (/[_\p{L}]/u.test(char)) {
        const word = this.word()
        if (word === "true" || word === "false") steps.push({ type: "literal", value: word === "true" })
        else keyword(word)
      } else return fail(`unrecognized character in action: ${codePoint(char)}`)
    }
  }

  private word(): string {
    const start = this.at
    while (this.at < this.text.length && !terminators.includes(this.text[this.at] ?? "")) {
      this.at += this.text[this.at] === "\\" ? 2 : 1
    }
    return this.text.slice(start, this.at)
  }

  private field(): PathStep {
    const name = this.word()
    return name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") }
  }

  private recursive(steps: Array<PathStep>): void {
    if (steps.at(-1)?.type === "recursive") fail("invalid multiple recursive descent")
    this.at += 2
    steps.push({ type: "recursive" })
    if (/[_\p{L}\d]/u.test(this.text[this.at] ?? "")) steps.push(this.field())
  }

  private number(): number {
    const match = /^[+-]?[\d.]*/.exec(this.text.slice(this.at))?.[0] ?? ""
    this.at += match.length
    const value = Number(match)
    return match === "" || Number.isNaN(value) || (!integer.test(match) && match.endsWith("."))
      ? fail(`cannot parse number ${match}`)
      : value
  }

  private brackets(): Path {
    const close = this.text.indexOf("]", this.at)
    const content = this.text.slice(this.at + 1, close)
    if (close < 0 || content.includes("\n")) return fail("unterminated array")
    this.at = close + 1
    return bracketSteps(content)
  }

  private quoted(quote: string): string {
    let value = ""
    for (this.at++; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? ""
      if (char === "\n") break
      if (char === quote) {
        this.at++
        return value
      }
      if (char !== "\\") value += char
      else {
        const escaped = this.text[++this.at] ?? ""
        value += escapes[escaped] ?? escaped
      }
    }
    return fail("unterminated quoted string")
  }

  private filter(): PathStep {
    const start = this.at + 3
    let quote: string | undefined
    let at = start
    for (; at < this.text.length; at++) {
      const char = this.text[at] ?? ""
      if (quote !== undefined) {
        if (char === quote && this.text[at - 1] !== "\\") quote = undefined
      } else if (char === '"' || char === "'") quote = char
      else if (char === ")") break
    }
    if (at >= this.text.length) fail("unterminated filter")
    if (this.text[at + 1] !== "]") fail("unclosed array expect ]")
    const text = this.text.slice(start, at)
    this.at = at + 2
    const match = comparison.exec(text)
    if (match === null) return { type: "filter", left: new Scanner(text).path(), operator: "exists", right: [] }
    const [, left = "", operator = "", right = ""] = match
    return { type: "filter", left: new Scanner(left).path(), operator, right: new Scanner(right).path() }
  }
}

/** Formats a character as Go's `%#U` does: `U+0023 '#'`. */
const codePoint = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")} '${char}'`

const parse = (template: string): JsonPath => {
  const parts: Array<JsonPathPart> = []
  const open: Array<{ readonly path: Path; readonly parts: Array<JsonPathPart> }> = []
  let current = parts
  const close = (): void => {
    const range = open.pop()
    const path = range?.path ?? fail("not in range, nothing to end")
    const body = current
    current = open.at(-1)?.parts ?? parts
    current.push({ type: "range", path, body })
  }
  let at = 0
  while (at < template.length) {
    const brace = template.indexOf("{", at)
    const text = template.slice(at, brace < 0 ? undefined : brace)
    if (text !== "") current.push({ type: "path", path: [{ type: "literal", value: text }] })
    if (brace < 0) break
    const words: Array<string> = []
    const scanner = new Scanner(template, brace + 1)
    const path = scanner.path(true, (word) => words.push(word))
    at = scanner.end
    const [word] = words
    if (word === undefined) current.push({ type: "path", path })
    else if (word === "range") {
      open.push({ path, parts: [] })
      current = open.at(-1)?.parts ?? parts
    } else if (word === "end") close()
    else fail(`unrecognized identifier ${word}`)
  }
  // Upstream accepts a range without an end.
  while (open.length > 0) close()
  return parts
}

/** Parses a template: `{.items[*].metadata.name}`. Upstream: client-go/util/jsonpath. */
export const parseJsonPath = (template: string): Result.Result<JsonPath, JsonPathError> => {
  try {
    return Result.succeed(parse(template))
  } catch (error) {
    if (error instanceof JsonPathError) return Result.fail(error)
    throw error
  }
}

/** Returns what is wrong with the syntax of an action, which words may begin that no template prints. */
export const jsonPathFault = (action: string): string | undefined => {
  try {
    new Scanner(`${action}}`).path(true, () => {})
    return undefined
  } catch (error) {
    if (error instanceof JsonPathError) return error.message
    throw error
  }
}
