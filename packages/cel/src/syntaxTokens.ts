import type { Fault } from "./faults.ts"

/** A token of an expression; its kind is the text of a fixed one, or its name in cel-go's grammar. */
export interface Token {
  readonly kind: string
  readonly text: string
  readonly at: number
}

/** The tokens by kind, in the order in which they are tried: the longest first. */
const patterns: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["", /(?:[ \t\r\n\f]+|\/\/[^\n]*)/y],
  ["BYTES", /[bB][rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')/y],
  ["BYTES", /[bB](?:"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*')/y],
  ["STRING", /[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')/y],
  ["STRING", /[rR](?:"[^"\n\r]*"|'[^'\n\r]*')/y],
  ["STRING", /"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*'/y],
  ["NUM_FLOAT", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["NUM_UINT", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[\da-fA-F]+|\d+/y],
  ["IDENTIFIER", /[A-Za-z_]\w*/y],
  ["ESC_IDENTIFIER", /`[\w./\- ]+`/y],
  ["fixed", /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y]
]

const words: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

/** What a token that is never complete has consumed when it fails: the begin of a text, of `==`, `&&` or `||`. */
const incomplete = /["'][^\n\r]*[\n\r]?|[=&|][\s\S]?|[\s\S]/y

export const END = "<EOF>"

const escaped = (text: string): string => text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")

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
      faults.push({ message: `Syntax error: token recognition error at: '${escaped(part)}'`, at })
    } else if (kind !== "") {
      tokens.push({ kind: kind === "fixed" || words.has(part) ? part : kind, text: part, at })
    }
    at += Math.max(1, part.length)
  }
  return { tokens, faults }
}
