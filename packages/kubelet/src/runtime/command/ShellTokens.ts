/** A piece of a word: text, the value of a variable, the output of a script, or the result of a calculation. */
export type WordPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "variable" | "output" | "calculation"
      readonly text: string
      readonly isQuoted: boolean
      /** The value of a variable that has none, or an empty one. */
      readonly otherwise?: string
      /** Whether the shell ends if it has no value. */
      readonly isRequired?: boolean
    }

export type ShellWord = ReadonlyArray<WordPart>
export type Operator = ";" | "&&" | "||" | "|" | "()"

/**
 * Where a stream of a program goes: to the file that the next word names, at its end or in its place, or to a stream. The
 * stream 0 comes from a file.
 */
export interface Redirect {
  readonly from: 0 | 1 | 2
  readonly to: 1 | 2 | "file" | "end"
}

export type Token = ShellWord | Operator | Redirect

export const isRedirect = (token: Token | undefined): token is Redirect => typeof token === "object" && "from" in token

/** The characters whose meaning outside quotes is not modelled: background, subshells, patterns. */
const unsupported = new Set("&()*?~")

const variableName = /^(?:\{([A-Za-z_]\w*)(?::-([\w./:-]*)|(:\?))?\}|([A-Za-z_]\w*|\?))/

const redirection = /^([12]?)>(?:(>)|&([12]))?/

/** Returns the index after a text in quotes that begins at `from`; undefined if it does not end. */
const afterQuotes = (script: string, from: number): number | undefined => {
  const quote = script.charAt(from)
  for (let at = from + 1; at < script.length; at++) {
    const char = script.charAt(at)
    if (char === quote) return at + 1
    if (char === "\\" && quote === '"') at++
  }
  return undefined
}

/** Returns the index after the `)` that closes what begins at `from`; undefined if there is none. */
const closingOf = (script: string, from: number): number | undefined => {
  let depth = 1
  for (let at = from; at < script.length; ) {
    const char = script[at]
    if (char === "'" || char === '"') {
      const after = afterQuotes(script, at)
      if (after === undefined) return undefined
      at = after
      continue
    }
    if (char === "(") depth++
    if (char === ")" && --depth === 0) return at + 1
    at += char === "\\" ? 2 : 1
  }
  return undefined
}

/** Whether a word that goes on with a brace means several words in some shells. */
const isSpecialBrace = (script: string, from: number): boolean => {
  for (let at = from + 1; script.charAt(from) === "{" && at < script.length; ) {
    const char = script.charAt(at)
    if (char === "'" || char === '"') {
      const after = afterQuotes(script, at)
      if (after === undefined) return true
      at = after
      continue
    }
    if (/[\s;|&}]/.test(char)) return false
    if (char === "," || script.startsWith("..", at)) return true
    at += char === "\\" ? 2 : 1
  }
  return false
}

/** Reads the tokens of a script, as far as POSIX shells give them the same meaning. */
class Tokenizer {
  private readonly script: string
  private readonly keepsBraces: boolean
  private at = 0
  private readonly tokens: Array<Token> = []
  private word: Array<WordPart> | undefined = undefined

  constructor(script: string, keepsBraces: boolean) {
    this.script = script
    this.keepsBraces = keepsBraces
  }

  read(): ReadonlyArray<Token> | undefined {
    while (this.at < this.script.length) {
      if (!this.step(this.script.charAt(this.at))) return undefined
    }
    this.endWord()
    return this.tokens
  }

  private step(char: string): boolean {
    const pair = this.script.slice(this.at, this.at + 2)
    if (pair === "&&" || pair === "||") return this.operator(pair)
    if (char === "|") return this.operator("|")
    if (char === "<") return this.inputFrom(pair)
    if (char === ";" || char === "\n") return this.operator(";")
    if (char === " " || char === "\t") return this.skip(1, () => this.endWord())
    if (char === "#" && this.word === undefined) return this.comment()
    if (char === "'") return this.singleQuoted()
    if (char === '"') return this.doubleQuoted()
    if (char === "$") return this.expansion(false)
    if (char === "`") return this.backquoted(false)
    if (char === "\\") return this.skip(2, () => pair !== "\\\n" && this.text(pair.slice(1)))
    const found =
      this.word === undefined || char === ">" ? redirection.exec(this.script.slice(this.at, this.at + 4)) : null
    if (found !== null) return this.redirect(found)
    if (pair === "()" && this.isFunctionName()) return this.operator("()")
    if (unsupported.has(char)) return false
    if (!this.keepsBraces && /[{}]/.test(char) && isSpecialBrace(this.script, this.at)) return false
    return this.skip(1, () => this.text(char))
  }

  /** `<FILE`; here-documents, and other inputs, are not modelled. */
  private inputFrom(pair: string): boolean {
    if (pair === "<<" || pair === "<&" || pair === "<(") return false
    this.endWord()
    this.tokens.push({ from: 0, to: "file" })
    return this.skip(1, () => {})
  }

  /** Whether the word until here is the name of a function, which `()` follows. */
  private isFunctionName(): boolean {
    const [part, ...more] = this.word ?? []
    return part?.kind === "text" && more.length === 0 && /^[A-Za-z_]\w*$/.test(part.text)
  }

  private redirect([all, from, end, stream]: RegExpExecArray): true {
    this.endWord()
    const to = stream === undefined ? (end === undefined ? "file" : "end") : (Number(stream) as 1 | 2)
    this.tokens.push({ from: from === "2" ? 2 : 1, to })
    return this.skip(all.length, () => {})
  }

  private skip(count: number, act: () => void): true {
    this.at += count
    act()
    return true
  }

  private text(text: string): void {
    this.word ??= []
    const last = this.word.at(-1)
    if (last?.kind === "text") this.word.splice(-1, 1, { kind: "text", text: last.text + text })
    else this.word.push({ kind: "text", text })
  }

  private endWord(): void {
    if (this.word !== undefined) this.tokens.push(this.word)
    this.word = undefined
  }

  private operator(operator: Operator): true {
    this.endWord()
    this.tokens.push(operator)
    return this.skip(operator.length, () => {})
  }

  private comment(): true {
    const end = this.script.indexOf("\n", this.at)
    this.at = end === -1 ? this.script.length : end
    return true
  }

  private singleQuoted(): boolean {
    const end = this.script.indexOf("'", this.at + 1)
    if (end === -1) return false
    this.text(this.script.slice(this.at + 1, end))
    this.at = end + 1
    return true
  }

  private doubleQuoted(): boolean {
    this.text("")
    this.at++
    while (this.at < this.script.length) {
      const char = this.script.charAt(this.at)
      if (char === '"') return this.skip(1, () => {})
      if (char === "`") {
        if (!this.backquoted(true)) return false
        continue
      }
      if (char === "\\") {
        this.escapedInQuotes(this.script.charAt(this.at + 1))
        continue
      }
      if (char === "$") {
        if (!this.expansion(true)) return false
      } else this.skip(1, () => this.text(char))
    }
    return false
  }

  /** In double quotes a backslash is one before all but a few characters. */
  private escapedInQuotes(next: string): void {
    if (next !== "\n") this.text(/["$`\\]/.test(next) ? next : `\\${next}`)
    this.at += 2
  }

  /** The output of a script, whose backslashes before a backquote, a dollar sign or another one are taken away. */
  private backquoted(isQuoted: boolean): boolean {
    const [all, inner] = /^`((?:[^`\\]|\\[\s\S])*)`/.exec(this.script.slice(this.at)) ?? []
    if (all === undefined || inner === undefined) return false
    this.word ??= []
    this.word.push({ kind: "output", text: inner.replace(/\\([`$\\])/g, "$1"), isQuoted })
    return this.skip(all.length, () => {})
  }

  private expansion(isQuoted: boolean): boolean {
    const rest = this.script.slice(this.at + 1, this.at + 257)
    const name = variableName.exec(rest)
    this.word ??= []
    if (name !== null) {
      const [, braced, otherwise, required, plain] = name
      const text = braced ?? plain ?? ""
      const empty = otherwise === undefined ? (required === undefined ? {} : { isRequired: true }) : { otherwise }
      this.word.push({ kind: "variable", text, isQuoted, ...empty })
      return this.skip(1 + name[0].length, () => {})
    }
    if (!rest.startsWith("(")) return false
    const end = closingOf(this.script, this.at + 2)
    if (end === undefined) return false
    const inner = this.script.slice(this.at + 2, end - 1)
    if (inner.startsWith("(") && inner.endsWith(")")) {
      this.word.push({ kind: "calculation", text: inner.slice(1, -1), isQuoted })
    } else this.word.push({ kind: "output", text: inner, isQuoted })
    this.at = end
    return true
  }
}

/** Returns the tokens of a script; undefined if one of them is not modelled. With `keepsBraces`, braces make no words. */
export const shellTokens = (script: string, keepsBraces: boolean): ReadonlyArray<Token> | undefined =>
  new Tokenizer(script, keepsBraces).read()
