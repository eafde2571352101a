export type TokenKind =
  | "identifier"
  | "end"
  | "error"
  | "in"
  | "notin"
  | "("
  | ")"
  | ","
  | "!"
  | "="
  | "=="
  | "!="
  | ">"
  | "<"

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

/** Matches one or two symbol characters: no symbol is longer. */
const special = /[=!(),><]{1,2}/y
const word = /[^=!(),>< \t\r\n\0]+/y
const blank = /[ \t\r\n]*/y
const symbols: ReadonlyArray<TokenKind> = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"]

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

/** Returns the longest symbol at the start: `==` before `=`. */
const firstSymbol = (run: string): TokenKind => symbols.find((symbol) => run.startsWith(symbol)) ?? "error"

/** Splits the text of a label selector. Upstream: apimachinery/pkg/labels/selector.go, Lexer. */
export const tokenize = (text: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let at = matchAt(blank, text, 0).length
  while (at < text.length) {
    const run = matchAt(special, text, at)
    const kind = run === "" ? undefined : firstSymbol(run)
    const found = kind ?? matchAt(word, text, at)
    // A NUL ends the text, as upstream.
    if (found === "") break
    tokens.push({ kind: kind ?? (found === "in" || found === "notin" ? found : "identifier"), text: found })
    at += found.length
    at += matchAt(blank, text, at).length
  }
  tokens.push({ kind: "end", text: "" })
  return tokens
}
