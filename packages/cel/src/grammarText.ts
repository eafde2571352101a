/** A text in which constructions that a grammar lacks are calls. */
export interface Rewritten {
  readonly text: string
  /** Returns the position in the original text. */
  readonly origin: (at: number) => number
}

/** The name of the calls for messages: `Object.spec{a: 1}` is `Object.spec.__message__({"a": 1})`. */
export const MESSAGE = "__message__"
/** The name of the calls for optional items and keys: `[?a]` is `[__optional__(a)]`. */
export const OPTIONAL = "__optional__"

/** The begin of the names that are written with a dot before them: `.self` is `__root__self`. */
export const ROOT = "__root__"

const same = (text: string): Rewritten => ({ text, origin: (at) => at })

/** A literal text, a comment, a number, a name, or another character. */
const token =
  /(?:[rR]?[bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\/[^\n]*|[A-Za-z_]\w*|\d[\w.]*|\.\d[\w.]*|\s+|[\s\S]/g

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text)
const isBlank = (text: string): boolean => /^\s|^\/\//.test(text)

/** A literal of bytes without escape sequences. */
const rawBytes = /^[bB][rR]["']/

/** Returns the same bytes with escape sequences. */
const escapedBytes = (piece: string): string => {
  const body = piece.slice(2)
  const quotes = /^(?:"""|''')/.test(body) ? 3 : 1
  const text = body.slice(quotes, -quotes).replace(/[\\']/g, "\\$&")
  return `b'${text.replace(/\r\n?|\n/g, "\\n")}'`
}

/** Names that no message or list can have. */
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

/** Whether a piece ends an operand, so that a bracket after it is an index. */
const endsOperand = (piece: string): boolean => /[\w)\]}"']$/.test(piece) && piece !== "in"

/** An open bracket. */
interface Bracket {
  readonly kind: "list" | "map" | "message" | "other"
  /** Whether an optional item or key is open. */
  optional: boolean
  /** The number of open conditions in an optional key. */
  conditions: number
  /** Whether the name of a message's field comes next. */
  awaitsField: boolean
}

/** Rewrites a text, which is put together piece by piece. */
class Rewriter {
  text = ""
  /** The original position of each character. */
  readonly places: Array<number> = []
  private readonly open: Array<Bracket> = []
  /** The last piece that is not blank. */
  private previous = ""
  /** Whether the last piece is a dot before a name that is no field. */
  private isRoot = false

  add(piece: string, at: number): void {
    if (isBlank(piece)) this.keep(piece, at)
    else {
      this.put(piece, at)
      this.isRoot = piece === "." && !endsOperand(this.previous)
      this.previous = piece
    }
  }

  private put(piece: string, at: number): void {
    const top = this.open.at(-1)
    const isFirst = !endsOperand(this.previous)
    if (rawBytes.test(piece)) this.write(escapedBytes(piece), at)
    else if (isFirst && /^\.\d/.test(piece)) {
      this.write("0", at)
      this.keep(piece, at)
    } else if (isFirst && piece === ".") this.keep(" ", at)
    else if (this.previous === "." && this.isRoot && isName(piece)) this.write(`${ROOT}${piece}`, at)
    else if (piece === "," && /^[[{]$/.test(this.previous)) this.keep(" ", at)
    else if (piece === "{" && isName(this.previous) && !keywords.has(this.previous)) {
      this.write(`.${MESSAGE}({`, at)
      this.enter("message")
    } else if (piece === "?" && this.startsPart(top)) {
      if (top.kind !== "message") this.write(`${OPTIONAL}(`, at)
      top.optional = top.kind !== "message"
    } else if (isName(piece) && top?.awaitsField === true) {
      this.write(`"${this.previous === "?" ? "?" : ""}${piece}"`, at)
      top.awaitsField = false
    } else this.putOther(piece, at, top)
  }

  private putOther(piece: string, at: number, top: Bracket | undefined): void {
    if (top?.optional === true && this.endsPart(piece, top)) {
      this.write(")", at)
      top.optional = false
    }
    if (piece === "}" && top?.kind === "message") this.write("})", at)
    else this.keep(piece, at)
    if (piece === "{") this.enter("map")
    else if (piece === "[") this.enter(endsOperand(this.previous) ? "other" : "list")
    else if (piece === "(") this.enter("other")
    else if (/^[)}\]]$/.test(piece)) this.open.pop()
    else if (piece === "," && top?.kind === "message") top.awaitsField = true
  }

  /** Whether an item, entry or field begins here. */
  private startsPart(top: Bracket | undefined): top is Bracket {
    return top !== undefined && top.kind !== "other" && /^[[{,]$/.test(this.previous)
  }

  /** Whether an optional item or key ends before a piece. A key ends at a colon that belongs to no condition in it. */
  private endsPart(piece: string, top: Bracket): boolean {
    if (top.kind === "list") return piece === "," || piece === "]"
    if (piece === "?") top.conditions++
    else if (piece === ":" && top.conditions-- === 0) {
      top.conditions = 0
      return true
    }
    return false
  }

  private enter(kind: Bracket["kind"]): void {
    this.open.push({ kind, optional: false, conditions: 0, awaitsField: kind === "message" })
  }

  private keep(piece: string, at: number): void {
    for (let index = 0; index < piece.length; index++) this.places.push(at + index)
    this.text += piece
  }

  private write(piece: string, at: number): void {
    for (let index = 0; index < piece.length; index++) this.places.push(at)
    this.text += piece
  }
}

/** Rewrites constructions of messages and optional parts; other texts, nearly all, are returned unchanged. */
export const rewriteGrammar = (text: string): Rewritten => {
  if (!/\w\s*\{|[[{,]\s*\?|[[{]\s*,|(?:^|[^\w\s)\]}"'])\s*\.|\.\d|\bin\s*\.|[bB][rR]["']/.test(text)) return same(text)
  const rewriter = new Rewriter()
  for (const match of text.matchAll(token)) rewriter.add(match[0], match.index)
  return { text: rewriter.text, origin: (at) => rewriter.places[at] ?? text.length }
}
