import { TextEncoder } from "./runtime.ts"

/* The text of `format`, as cel-go reads it before version 4 of its strings library. Upstream: cel-go/ext/formatting.go. */

/** The kinds of clauses by their letter. */
export type ClauseKind = "b" | "d" | "e" | "f" | "o" | "s" | "x"

/** A clause such as `%.2f`, which shows one argument. */
export interface Clause {
  readonly kind: ClauseKind
  readonly precision: number | undefined
  /** Whether hexadecimal digits are upper-case. */
  readonly upper: boolean
}

/** What is wrong with a text's clause. */
export class FormatFault {
  readonly message: string
  /** Whether the text ends at the percent sign. */
  readonly endsText: boolean
  constructor(message: string, endsText = false) {
    this.message = message
    this.endsText = endsText
  }
}

const kinds: Readonly<Record<string, ClauseKind>> = { b: "b", d: "d", e: "e", f: "f", o: "o", s: "s", x: "x", X: "x" }

const unparsable = (message: string): FormatFault => new FormatFault(`could not parse formatting clause: ${message}`)

/** The greatest value of Go's int. */
const MAX_INT = 2n ** 63n - 1n

/** Yields the parts of a text: plain texts, and clauses up to the first that is wrong. */
export function* clausesOf(text: string): Generator<string | Clause | FormatFault> {
  let from = 0
  for (;;) {
    const at = text.indexOf("%", from)
    if (at < 0) {
      yield text.slice(from)
      return
    }
    yield text.slice(from, at)
    if (text[at + 1] === "%") {
      yield "%"
      from = at + 2
      continue
    }
    const [whole = "", precision] = /%(?:\.([0-9]*))?/y.exec(text.slice(at)) ?? []
    from = at + whole.length
    const clause = clauseOf(text.slice(from, from + 2), precision)
    yield clause
    if (clause instanceof FormatFault) return
    from++
  }
}

const clauseOf = (next: string, precision: string | undefined): Clause | FormatFault => {
  if (precision !== undefined) {
    const fault = precisionFault(next, precision)
    if (fault !== undefined) return unparsable(`error while parsing precision: ${fault}`)
  }
  if (next === "") return new FormatFault("unexpected end of string", true)
  const letter = next[0] ?? ""
  const kind = Object.hasOwn(kinds, letter) ? kinds[letter] : undefined
  if (kind === undefined) return unparsable(`unrecognized formatting clause "${firstByte(next)}"`)
  return { kind, precision: precision === undefined ? undefined : Number(precision), upper: letter === "X" }
}

const precisionFault = (next: string, digits: string): string | undefined => {
  if (next === "") return "could not find end of precision specifier"
  const parsing = `error while converting precision to integer: strconv.Atoi: parsing "${digits}": `
  if (digits === "") return `${parsing}invalid syntax`
  return BigInt(digits.slice(0, 400)) > MAX_INT ? `${parsing}value out of range` : undefined
}

/** Go reads the text byte by byte, and shows the first byte of a longer character as a character of its own. */
const firstByte = (next: string): string => {
  const [first = 0] = new TextEncoder().encode(next)
  return String.fromCodePoint(first)
}

const clauseErrors: Readonly<Record<ClauseKind, string>> = {
  b: "only integers and bools can be formatted as binary",
  d: "decimal clause can only be used on integers",
  e: "scientific clause can only be used on doubles",
  f: "fixed-point clause can only be used on doubles",
  o: "octal clause can only be used on integers",
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  x: "only integers, byte buffers, and strings can be formatted as hex"
}

/** Returns the error of an argument that a clause does not accept. */
export const wrongArgument = (kind: ClauseKind, typeName: string): string =>
  `${clauseErrors[kind]}, was given ${typeName}`
