import { isRedirect, type Operator, type Redirect, type ShellWord, shellTokens, type Token } from "./ShellTokens.ts"

/** The longest script that is read. */
const MAX_LENGTH = 10_000
const MAX_DEPTH = 20

/** A redirection; `file` is undefined if it goes to another stream. */
export interface ShellRedirect extends Redirect {
  readonly file: ShellWord | undefined
}

export type ShellCommand =
  | {
      readonly kind: "simple"
      readonly words: ReadonlyArray<ShellWord>
      readonly redirects: ReadonlyArray<ShellRedirect>
    }
  | { readonly kind: "if"; readonly branches: ReadonlyArray<ShellBranch>; readonly otherwise: ShellList }
  | { readonly kind: "while" | "until"; readonly test: ShellList; readonly body: ShellList }
  | { readonly kind: "for"; readonly name: string; readonly words: ReadonlyArray<ShellWord>; readonly body: ShellList }
  | { readonly kind: "pipe"; readonly commands: ReadonlyArray<ShellCommand> }
  | { readonly kind: "not"; readonly command: ShellCommand }
  | { readonly kind: "group"; readonly body: ShellList }
  | { readonly kind: "function"; readonly name: string; readonly body: ShellList }
  | { readonly kind: "redirected"; readonly command: ShellCommand; readonly redirects: ReadonlyArray<ShellRedirect> }

/** Commands, each with the operator that stands before it. */
export type ShellList = ReadonlyArray<{ readonly after: Operator; readonly command: ShellCommand }>

interface ShellBranch {
  readonly test: ShellList
  readonly body: ShellList
}

const compounds = new Set(["if", "while", "until", "for", "{"])

const isEmpty = (command: ShellCommand): boolean =>
  command.kind === "simple" && command.words.length === 0 && command.redirects.length === 0

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
    if (token === undefined || typeof token === "string" || isRedirect(token) || token.length !== 1) return ""
    const [part] = token
    return part?.kind === "text" ? part.text : ""
  }

  private take(keyword: string): boolean {
    if (this.keyword() !== keyword) return false
    this.at++
    return true
  }

  private list(ends: ReadonlyArray<string>): ShellList | undefined {
    const commands: Array<ShellList[number]> = []
    let after: Operator = ";"
    while (this.at < this.tokens.length && !ends.includes(this.keyword())) {
      const token = this.tokens[this.at]
      if (typeof token === "string") {
        if (token === "|" || token === "()" || (token !== ";" && after !== ";")) return undefined
        if (token !== ";" || after === ";") after = token
        this.at++
        continue
      }
      const command = this.pipeline()
      if (command === undefined) return undefined
      commands.push({ after, command })
      after = ";"
    }
    return commands
  }

  private pipeline(): ShellCommand | undefined {
    const isNegated = this.take("!")
    const commands: Array<ShellCommand> = []
    do {
      if (commands.length > 0) this.at++
      while (commands.length > 0 && this.tokens[this.at] === ";") this.at++
      const command = this.command()
      if (command === undefined || (command.kind === "simple" && command.words.length === 0 && isNegated))
        return undefined
      commands.push(command)
      if (commands.length > MAX_DEPTH) return undefined
    } while (this.tokens[this.at] === "|")
    const [only, ...others] = commands
    if (only === undefined || (others.length > 0 && commands.some(isEmpty))) return undefined
    const command: ShellCommand = others.length === 0 ? only : { kind: "pipe", commands }
    return isNegated ? { kind: "not", command } : command
  }

  private command(): ShellCommand | undefined {
    const keyword = this.keyword()
    if (this.tokens[this.at + 1] === "()") return this.definition(keyword)
    const isCompound = compounds.has(keyword)
    if (!isCompound) return this.simple()
    if (++this.depth > MAX_DEPTH) return undefined
    const command = this.compound(keyword)
    this.depth--
    if (command === undefined || !isRedirect(this.tokens[this.at])) return command
    const after = this.simple()
    // Words after the end of a command are wrong.
    return after?.kind !== "simple" || after.words.length > 0
      ? undefined
      : { kind: "redirected", command, redirects: after.redirects }
  }

  private compound(keyword: string): ShellCommand | undefined {
    if (keyword === "if") return this.branching()
    if (keyword === "for") return this.forLoop()
    if (keyword === "while" || keyword === "until") return this.loop(keyword)
    const body = this.braced()
    return body === undefined ? undefined : { kind: "group", body }
  }

  /** `NAME() { LIST; }` */
  private definition(name: string): ShellCommand | undefined {
    this.at += 2
    while (this.tokens[this.at] === ";") this.at++
    const body = this.keyword() === "{" ? this.braced() : undefined
    return body === undefined ? undefined : { kind: "function", name, body }
  }

  private braced(): ShellList | undefined {
    this.at++
    const body = this.list(["}"])
    return body === undefined || body.length === 0 || !this.take("}") ? undefined : body
  }

  private simple(): ShellCommand | undefined {
    const words: Array<ShellWord> = []
    const redirects: Array<ShellRedirect> = []
    for (let token = this.tokens[this.at]; token !== undefined && typeof token !== "string"; ) {
      if (isRedirect(token)) {
        const file = typeof token.to === "string" ? this.tokens[++this.at] : undefined
        if (typeof file === "string" || isRedirect(file)) return undefined
        if (typeof token.to === "string" && file === undefined) return undefined
        redirects.push({ ...token, file })
      } else words.push(token)
      token = this.tokens[++this.at]
    }
    return { kind: "simple", words, redirects }
  }

  private branching(): ShellCommand | undefined {
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
    if (this.take("else")) otherwise = this.list(["fi"])
    return otherwise === undefined || !this.take("fi") ? undefined : { kind: "if", branches, otherwise }
  }

  private loop(kind: "while" | "until"): ShellCommand | undefined {
    this.at++
    const test = this.list(["do"])
    const body = this.body()
    return test === undefined || body === undefined ? undefined : { kind, test, body }
  }

  private forLoop(): ShellCommand | undefined {
    this.at++
    const name = this.keyword()
    this.at++
    if (!/^[A-Za-z_]\w*$/.test(name) || !this.take("in")) return undefined
    const given = this.simple()
    while (this.tokens[this.at] === ";") this.at++
    const body = this.body()
    return given?.kind !== "simple" || given.redirects.length > 0 || body === undefined
      ? undefined
      : { kind: "for", name, words: given.words, body }
  }

  private body(): ShellList | undefined {
    if (!this.take("do")) return undefined
    const body = this.list(["done"])
    return body === undefined || !this.take("done") ? undefined : body
  }
}

/**
 * Reads a shell script of simple commands, functions, `{ … }`, `if`, `while`, `until`, `for`, `;`, `&&`, `||`, `|` and `!`, with quotes,
 * variables, `$(…)`, `$((…))` and redirections. Returns undefined for a script with anything else.
 */
export const parseShellScript = (script: string, keepsBraces = false): ShellList | undefined => {
  if (script.length > MAX_LENGTH) return undefined
  const tokens = shellTokens(script, keepsBraces)
  return tokens === undefined ? undefined : new Parser(tokens).script()
}
