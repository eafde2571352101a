/** A piece of a word: text, the value of a variable, or the output of a script. */
export type WordPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable" | "output"; readonly text: string; readonly isQuoted: boolean }

export type ShellWord = ReadonlyArray<WordPart>
type Operator = ";" | "&&" | "||"
type Token = ShellWord | Operator

/** The characters whose meaning outside quotes is not modelled: pipes, redirections, groups, patterns. */
const unsupported = new Set("|&<>(){}`*?~")

/** The longest script that is read. */
const MAX_LENGTH = 10_000

const variableName = /^(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/

/** Returns the index after the `)` that closes a `$(` whose content begins at `from`; undefined if there is none. */
const closingOf = (script: string, from: number): number | undefined => {
  let depth = 1
  for (let at = from; at < script.length; at++) {
    const char = script[at]
    if (char === "'" || char === '"' || char === "\\") return undefined
    if (char === "(") depth++
    if (char === ")" && --depth === 0) return at + 1
  }
  return undefined
}

/** Reads the tokens of a script, as far as POSIX shells give them the same meaning. */
class Tokenizer {
  private readonly script: string
  private at = 0
  private readonly tokens: Array<Token> = []
  private word: Array<WordPart> | undefined = undefined

  constructor(script: string) {
    this.script = script
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
    if (char === ";" || char === "\n") return this.operator(";")
    if (char === " " || char === "\t") return this.skip(1, () => this.endWord())
    if (char === "#" && this.word === undefined) return this.comment()
    if (char === "'") return this.singleQuoted()
    if (char === '"') return this.doubleQuoted()
    if (char === "$") return this.expansion(false)
    if (char === "\\") return this.skip(2, () => pair !== "\\\n" && this.text(pair.slice(1)))
    if (unsupported.has(char)) return false
    return this.skip(1, () => this.text(char))
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
      if (char === "`" || char === "\\") return false
      if (char === "$") {
        if (!this.expansion(true)) return false
      } else this.skip(1, () => this.text(char))
    }
    return false
  }

  private expansion(isQuoted: boolean): boolean {
    const rest = this.script.slice(this.at + 1, this.at + 257)
    const name = variableName.exec(rest)
    this.word ??= []
    if (name !== null) {
      this.word.push({ kind: "variable", text: name[1] ?? name[2] ?? "", isQuoted })
      return this.skip(1 + name[0].length, () => {})
    }
    if (!rest.startsWith("(") || rest.startsWith("((")) return false
    const end = closingOf(this.script, this.at + 2)
    if (end === undefined) return false
    this.word.push({ kind: "output", text: this.script.slice(this.at + 2, end - 1), isQuoted })
    this.at = end
    return true
  }
}

export type ShellCommand =
  | { readonly kind: "simple"; readonly words: ReadonlyArray<ShellWord> }
  | { readonly kind: "if"; readonly branches: ReadonlyArray<ShellBranch>; readonly otherwise: ShellList }

/** Commands, each with the operator that stands before it. */
export type ShellList = ReadonlyArray<{ readonly after: Operator; readonly command: ShellCommand }>

interface ShellBranch {
  readonly test: ShellList
  readonly body: ShellList
}

const MAX_DEPTH = 20

/** Reads the commands of tokens. Its methods return undefined for what is not modelled. */
class Parser {
  private readonly tokens: ReadonlyArray<Token>
  private at = 0
  private depth = 0

  constructor(tokens: ReadonlyArray<Token>) {
    this.tokens = tokens
  }

  script(): ShellList | undefined {
    const list = this.list([])
    return this.at === this.tokens.length ? list : undefined
  }

  private keyword(): string {
    const token = this.tokens[this.at]
    if (token === undefined || typeof token === "string" || token.length !== 1) return ""
    const [part] = token
    return part?.kind === "text" ? part.text : ""
  }

  private list(ends: ReadonlyArray<string>): ShellList | undefined {
    const commands: Array<ShellList[number]> = []
    let after: Operator = ";"
    while (this.at < this.tokens.length && !ends.includes(this.keyword())) {
      const token = this.tokens[this.at]
      if (typeof token === "string") {
        if (token !== ";" && after !== ";") return undefined
        if (token !== ";" || after === ";") after = token
        this.at++
        continue
      }
      const command = this.keyword() === "if" ? this.branching() : this.simple()
      if (command === undefined) return undefined
      commands.push({ after, command })
      after = ";"
    }
    return commands
  }

  private simple(): ShellCommand {
    const words: Array<ShellWord> = []
    for (let token = this.tokens[this.at]; token !== undefined && typeof token !== "string"; ) {
      words.push(token)
      token = this.tokens[++this.at]
    }
    return { kind: "simple", words }
  }

  private branching(): ShellCommand | undefined {
    if (++this.depth > MAX_DEPTH) return undefined
    const branches: Array<ShellBranch> = []
    let otherwise: ShellList | undefined = []
    do {
      this.at++
      const test = this.list(["then"])
      this.at++
      const body = this.list(["elif", "else", "fi"])
      if (test === undefined || body === undefined) return undefined
      branches.push({ test, body })
    } while (this.keyword() === "elif")
    if (this.keyword() === "else") {
      this.at++
      otherwise = this.list(["fi"])
    }
    if (otherwise === undefined || this.keyword() !== "fi") return undefined
    this.at++
    this.depth--
    return { kind: "if", branches, otherwise }
  }
}

/**
 * Reads a shell script of simple commands, `if`, `;`, `&&` and `||`, with quotes, variables and `$(…)`. Returns
 * undefined for a script with anything else.
 */
export const parseShellScript = (script: string): ShellList | undefined => {
  if (script.length > MAX_LENGTH) return undefined
  const tokens = new Tokenizer(script).read()
  return tokens === undefined ? undefined : new Parser(tokens).script()
}
