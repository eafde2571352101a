/** A text in which constructions of messages are calls, for a grammar that has no such constructions. */
export interface Rewritten {
  readonly text: string
  /** Returns the position in the original text. */
  readonly origin: (at: number) => number
}

/** The name of the calls: `Object.spec{a: 1}` is `Object.spec.__message__({"a": 1})`. */
export const MESSAGE = "__message__"

const same = (text: string): Rewritten => ({ text, origin: (at) => at })

/** A literal text, a comment, a number, a name, or another character. */
const token =
  /(?:[rR]?[bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\/[^\n]*|[A-Za-z_]\w*|\d[\w.]*|\s+|[\s\S]/g

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text)
const isBlank = (text: string): boolean => /^\s|^\/\//.test(text)

/** Names that no message can have. */
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

/** Rewrites constructions of messages; other texts, nearly all, are returned unchanged. */
export const rewriteMessages = (text: string): Rewritten => {
  if (!/\w\s*\{/.test(text)) return same(text)
  const places: Array<number> = []
  let out = ""
  const put = (piece: string, at: number, moves: boolean) => {
    for (let index = 0; index < piece.length; index++) places.push(moves ? at + index : at)
    out += piece
  }
  /** The open brackets; true for those of messages. */
  const open: Array<boolean> = []
  /** Whether a field's name comes next. */
  let awaitsField = false
  let previous = ""
  for (const match of text.matchAll(token)) {
    const [piece] = match
    const at = match.index
    if (isBlank(piece)) {
      put(piece, at, true)
      continue
    }
    if (piece === "{" && isName(previous) && !keywords.has(previous)) {
      put(`.${MESSAGE}({`, at, false)
      open.push(true)
      awaitsField = true
    } else if (awaitsField && piece === "?") put("", at, false)
    else if (awaitsField && isName(piece)) {
      put(`"${previous === "?" ? "?" : ""}${piece}"`, at, false)
      awaitsField = false
    } else if (piece === "}" && open.at(-1) === true) {
      put("})", at, false)
      open.pop()
      awaitsField = false
    } else {
      put(piece, at, true)
      if (piece === "{" || piece === "(" || piece === "[") open.push(false)
      else if (piece === "}" || piece === ")" || piece === "]") open.pop()
      awaitsField = piece === "," && open.at(-1) === true
    }
    previous = piece
  }
  return { text: out, origin: (at) => places[at] ?? text.length }
}
