import type { Fault } from "./faults.ts"
import { afterOperand, binary, listed, operands, reservedNames, values } from "./syntaxKinds.ts"
import { END, type Token, tokensOf } from "./syntaxTokens.ts"

/** The nesting up to which faults are looked for: cel-go refuses deeper texts. */
const MAX_DEPTH = 250

/** Thrown where the parser cannot go on. */
class Stop extends Error {}
/** Thrown where the parser has forgotten the brackets that it is in, so that the text should end. */
class Lost extends Error {}

/** Thrown where a parenthesis should end. */
class Unclosed extends Stop {}

/**
 * Finds what is wrong with a text that is no expression, as ANTLR's parser of cel-go's grammar does: it skips one token,
 * or takes one as given, where that suffices. It does not look for more after an error from which it would have to skip
 * further.
 */
class Recognizer {
  readonly faults: Array<Fault> = []
  private readonly tokens: ReadonlyArray<Token>
  private readonly text: string
  private place = 0
  private depth = 0
  private isLost = false
  /** What ends the brackets around a position, each with what may be there instead. */
  private readonly enclosing: Array<ReadonlyArray<string>> = []

  constructor(text: string, tokens: ReadonlyArray<Token>) {
    this.text = text
    this.tokens = tokens
  }

  run(): void {
    try {
      this.whole()
      this.match(END)
    } catch (error) {
      if (!(error instanceof Stop)) throw error
    }
  }

  private whole(): void {
    try {
      this.expression()
    } catch (error) {
      if (!(error instanceof Lost)) throw error
    }
  }

  private token(ahead = 0): Token {
    return this.tokens[this.place + ahead] ?? { kind: END, text: END, at: this.text.length }
  }

  private is(...kinds: ReadonlyArray<string>): boolean {
    return kinds.includes(this.token().kind)
  }

  private add(message: string): void {
    this.faults.push({ message: `Syntax error: ${message}`, at: this.token().at })
  }

  /** Requires one of the kinds next; skips one other token if one of them comes then. */
  private require(kinds: ReadonlyArray<string>): void {
    if (!this.begins(kinds)) throw new Stop()
  }

  /** Does the same at an operand; returns false for one that is missing, if an operator comes after it. */
  private requireOperand(kinds: ReadonlyArray<string>): boolean {
    if (this.begins(kinds)) return true
    this.skipToOperator()
    return false
  }

  private begins(kinds: ReadonlyArray<string>): boolean {
    if (this.is(...kinds)) return true
    const shown = `'${this.token().text}' expecting ${listed(kinds)}`
    const isExtraneous = kinds.includes(this.token(1).kind)
    this.add(`${isExtraneous ? "extraneous" : "mismatched"} input ${shown}`)
    if (isExtraneous) this.place++
    return isExtraneous
  }

  /** Takes a token of one kind; supposes it if what is next may come after it. */
  private match(kind: string): void {
    if (this.is(kind)) {
      this.place++
      return
    }
    const { text } = this.token()
    const wanted = kind === END ? END : listed([kind])
    if (this.token(1).kind === kind && text !== END) {
      this.add(`extraneous input '${text}' expecting ${wanted}`)
      this.place += 2
    } else if (kind !== END && this.mayFollow(kind)) this.add(`missing ${wanted} at '${text}'`)
    else {
      this.add(`mismatched input '${text}' expecting ${wanted}`)
      throw kind === ")" ? new Unclosed() : new Stop()
    }
  }

  /** Whether the next token may follow the one that is missing: a colon, or the bracket that ends here. */
  private mayFollow(missing: string): boolean {
    const { kind } = this.token()
    if (missing === ":") return operands.includes(kind)
    return afterOperand.has(kind) || (this.enclosing.at(-1) ?? [END]).includes(kind)
  }

  /** Recognizes what is within brackets. */
  private within(ends: ReadonlyArray<string>, end: string, content: () => void): void {
    this.enclosing.push(ends)
    content()
    this.enclosing.pop()
    this.match(end)
  }

  private expression(also: ReadonlyArray<string> = []): void {
    if (++this.depth > MAX_DEPTH) throw new Stop()
    this.operations(also)
    if (this.is("?")) {
      this.place++
      this.operations([])
      this.match(":")
      this.expression()
    }
    this.depth--
    if (this.isLost) throw new Lost()
  }

  private operations(also: ReadonlyArray<string>): void {
    this.unary(also)
    while (binary.has(this.token().kind)) {
      this.place++
      this.unary([])
    }
  }

  private unary(also: ReadonlyArray<string>) {
    if (!this.requireOperand([...operands, ...also])) return
    if (this.is("-", "!")) {
      const { kind } = this.token()
      while (this.is(kind)) this.place++
      if (kind === "-" && this.is("!")) this.noAlternative()
      if (kind === "-" && !this.is(...operands)) this.addNoAlternative()
      // Only the sign of a number may follow.
      if (kind === "!" && this.is("-")) {
        this.place++
        if (!this.is("NUM_INT", "NUM_FLOAT")) this.noAlternative()
      }
      if (kind === "!" && !this.is(...operands)) {
        this.add(`extraneous input '${this.token().text}' expecting ${listed(operands)}`)
        if (!operands.includes(this.token(1).kind)) return this.skipToOperator()
        this.place++
      }
      if (!this.requireOperand(operands)) return
    }
    this.primary()
    while (this.is(".", "[")) this.selection()
  }

  private primary() {
    const { at, kind } = this.token()
    if (kind === "IDENTIFIER") return this.named(at)
    this.place++
    if (kind === "(") this.closed([")"], () => this.expression())
    else if (kind === "[") this.parts("]", () => this.optionalExpression())
    else if (kind === "{") this.parts("}", () => this.entry(() => this.optionalExpression()))
    else if (kind === ".") return this.is("IDENTIFIER") ? this.named(at) : this.noAlternative()
  }

  /** A variable or a function may not have a reserved name, whatever else is wrong; cel-go sees this after parsing. */
  private named(at: number) {
    const { text } = this.token()
    this.place++
    if (this.is("{")) return this.message()
    if (reservedNames.has(text)) this.faults.push({ message: `reserved identifier: ${text}`, at })
    if (this.is("(")) this.call()
  }

  /** The token before the next one and the next one do not fit. */
  private addNoAlternative(): void {
    const start = this.token(-1).at
    const { at, kind, text } = this.token()
    this.add(`no viable alternative at input '${this.text.slice(start, kind === END ? at : at + text.length)}'`)
  }

  private noAlternative(): never {
    this.addNoAlternative()
    throw new Stop()
  }

  /** Skips to what may follow an operand; goes on only with an operator. */
  private skipToOperator(): void {
    const ends = this.enclosing.flat()
    while (!this.is(END, "?", ...binary, ...ends)) this.place++
    if (!this.is(...binary)) throw new Stop()
  }

  private selection(): void {
    const { kind } = this.token()
    this.place++
    if (kind === "[") {
      this.within(["]"], "]", () => this.optionalExpression())
      return
    }
    if (this.is("?")) {
      this.place++
      this.require(["IDENTIFIER", "ESC_IDENTIFIER"])
    } else if (!this.is("IDENTIFIER", "ESC_IDENTIFIER")) {
      if (values.has(this.token().kind)) this.add(`mismatched input '${this.token().text}' expecting IDENTIFIER`)
      else this.addNoAlternative()
      if (this.is("in") && this.enclosing.length > 0) this.isLost = true
      this.skipToOperator()
      return
    }
    this.place++
    if (this.is("(")) this.call()
    else if (this.is("{")) this.message()
  }

  /** Recognizes what is within parentheses. Where they cannot end, an operator may follow. */
  private closed(ends: ReadonlyArray<string>, content: () => void) {
    try {
      this.within(ends, ")", content)
    } catch (error) {
      if (!(error instanceof Unclosed)) throw error
      this.skipToOperator()
    }
  }

  private call(): void {
    this.place++
    this.closed([")", ","], () => {
      if (this.is(")")) return
      this.require([...operands, ")"])
      if (this.is(")")) return
      this.expression()
      while (this.is(",")) {
        this.place++
        this.expression()
      }
    })
  }

  private message(): void {
    this.place++
    this.parts("}", () => this.entry(() => this.fieldName()), ["?", "IDENTIFIER", "ESC_IDENTIFIER"])
  }

  private fieldName(): void {
    if (this.is("?")) this.place++
    this.require(["IDENTIFIER", "ESC_IDENTIFIER"])
    this.place++
  }

  private optionalExpression(): void {
    if (this.is("?")) {
      this.place++
      this.expression()
    } else this.expression(["?"])
  }

  private entry(key: () => void): void {
    key()
    this.match(":")
    this.expression()
  }

  /** Recognizes parts with commas between them, and one after them. */
  private parts(end: string, part: () => void, starts: ReadonlyArray<string> = [...operands, "?"]): void {
    this.within([end, ","], end, () => {
      this.require([...starts, ",", end])
      if (this.is(...starts)) {
        part()
        while (this.is(",") && starts.includes(this.token(1).kind)) {
          this.place++
          part()
        }
        this.require([end, ","])
      }
      if (this.is(",")) this.place++
    })
  }
}

/** Returns what is wrong with the syntax of a text. */
export const syntaxFaults = (text: string): ReadonlyArray<Fault> => {
  const { faults, tokens } = tokensOf(text)
  const recognizer = new Recognizer(text, tokens)
  recognizer.run()
  const found = [...faults, ...recognizer.faults]
  // Names in back quotes are of the grammar, but Kubernetes does not enable them.
  return found.length > 0
    ? found
    : tokens
        .filter(({ kind }) => kind === "ESC_IDENTIFIER")
        .map(({ at }) => ({ message: "unsupported syntax: '`'", at }))
}
