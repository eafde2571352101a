import type { Fault } from "./faults.ts"

/** A token of an expression; its kind is the text of a fixed one, or its name in cel-go's grammar. */
export interface Token {
  readonly kind: string
  readonly text: string
  readonly at: number
}

const hex = "[\\da-fA-F]"
const escapeSequence = `\\\\(?:[abfnrtv"'\`\\\\?]|[xX]${hex}{2}|u${hex}{4}|U${hex}{8}|[0-3][0-7]{2})`
/** What an escape that fails has consumed before the character at which it does. */
const partOfEscape = `(?:\\\\(?:[xX]${hex}?|u${hex}{0,3}|U${hex}{0,7}|[0-3][0-7]?)?)?`

const inQuotes = (quote: string): string => `${quote}(?:${escapeSequence}|[^\\\\${quote}\\n\\r])*`
const inThree = (quote: string): string => `${quote.repeat(3)}(?:${escapeSequence}|[^\\\\])*?${quote.repeat(3)}`
/** A text in quotes of either kind. */
const quoted = (begin: string, of: (quote: string) => string, end = true): RegExp =>
  new RegExp(`${begin}(?:${['"', "'"].map((quote) => `${of(quote)}${end ? quote : ""}`).join("|")})`, "y")

/** The tokens by kind, in the order in which they are tried: the longest first. */
const patterns: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["", /(?:[ \t\r\n\f]+|\/\/[^\n]*)/y],
  ["BYTES", /[bB][rR](?:"""[\s\S]*?"""|'''[\s\S]*?''')/y],
  ["BYTES", /[bB][rR](?:"[^"\n\r]*"|'[^'\n\r]*')/y],
  ["BYTES", quoted("[bB]", inThree, false)],
  ["BYTES", quoted("[bB]", inQuotes)],
  ["STRING", /[rR](?:"""[\s\S]*?"""|'''[\s\S]*?''')/y],
  ["STRING", /[rR](?:"[^"\n\r]*"|'[^'\n\r]*')/y],
  ["STRING", quoted("", inThree, false)],
  ["STRING", quoted("", inQuotes)],
  ["NUM_FLOAT", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["NUM_UINT", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[\da-fA-F]+|\d+/y],
  ["IDENTIFIER", /[A-Za-z_]\w*/y],
  ["ESC_IDENTIFIER", /`[\w./\- ]+`/y],
  ["fixed", /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y]
]

const words: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

/** What a token that is never complete has consumed when it fails: the begin of a text, of `==`, `&&` or `||`. */
const incomplete = new RegExp(
  `(?:${inQuotes('"')}|${inQuotes("'")})${partOfEscape}[\\s\\S]?|[=&|][\\s\\S]?|[\\s\\S]`,
  "y"
)

export const END = "<EOF>"

/** Returns the tokens of an expression, and what is no token. Upstream: cel-go/parser/gen/CEL.g4. */
export const tokensOf = (text: string): { readonly tokens: ReadonlyArray<Token>; readonly faults: Array<Fault> } => {
  const tokens: Array<Token> = []
  const faults: Array<Fault> = []
  let at = 0
  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  while (at < text.length) {
    const found = patterns
      .map(([kind, pattern]) => [kind, matchAt(pattern)] as const)
      .find(([, part]) => part !== undefined)
    const [kind, part = ""] = found ?? ["", matchAt(incomplete)]
    if (found === undefined) {
      faults.push({ message: `Syntax error: token recognition error at: '${part}'`, at })
    } else if (kind !== "") {
      tokens.push({ kind: kind === "fixed" || words.has(part) ? part : kind, text: part, at })
    }
    at += Math.max(1, part.length)
  }
  return { tokens, faults }
}
