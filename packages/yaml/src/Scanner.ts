import { Cursor } from "./Cursor.ts"
import { scanBlock, scanPlain, scanQuoted } from "./scanScalars.ts"
import { scanAnchor, scanDirective, scanTag } from "./scanTags.ts"
import { type Token, type TokenType, token } from "./Token.ts"

/** Where a key may have begun without a question mark. */
interface SimpleKey {
  isPossible: boolean
  /** Whether there must be one: the line is indented as the other keys of its mapping. */
  readonly isRequired: boolean
  readonly number: number
  readonly at: number
  readonly line: number
  readonly column: number
}

const noKey: SimpleKey = { isPossible: false, isRequired: false, number: 0, at: 0, line: 0, column: 0 }

/** How far after its begin a simple key must end. */
const MAX_KEY_LENGTH = 1024
/** The number of open collections at which goyaml gives up. */
const MAX_DEPTH = 10_000
/** Used tokens are removed from the queue once there are this many. */
const MAX_USED = 1024

const NO_COLON = "could not find expected ':'"

/** Characters that no plain scalar begins with, unless it is one of the last three and a word follows. */
const INDICATORS = new Set(",[]{}#&*!|>'\"%@`-?:")

/**
 * Reads the tokens of a text, each when it is asked for: so an error is found only if what is before it is read. Upstream:
 * go.yaml.in/yaml/v2, scannerc.go.
 */
export class Scanner {
  private readonly cursor: Cursor
  private tokens: Array<Token> = []
  private next = 0
  /** How many tokens have been taken. */
  private taken = 0
  private indent = -1
  private readonly indents: Array<number> = []
  /** By depth of the flow collections. */
  private readonly simpleKeys: Array<SimpleKey> = [noKey]
  /** The depth of the simple key that begins with a token, by the token's number. */
  private readonly depthOfKey = new Map<number, number>()
  private mayBeginKey = true

  constructor(text: string) {
    this.cursor = new Cursor(text)
  }

  private get flowDepth(): number {
    return this.simpleKeys.length - 1
  }

  /** Returns the next token without taking it. Throws SyntaxFault. */
  peek(): Token {
    while (this.next === this.tokens.length || this.mayBecomeKey()) this.fetch()
    return this.tokens[this.next] as Token
  }

  /** Takes the token that was peeked at. */
  skip(): void {
    this.next++
    this.taken++
    if (this.next < MAX_USED) return
    this.tokens = this.tokens.slice(this.next)
    this.next = 0
  }

  /** Whether the next token may turn out to be the first one of a key. */
  private mayBecomeKey(): boolean {
    const depth = this.depthOfKey.get(this.taken)
    return depth !== undefined && this.isValid(this.simpleKeys[depth] ?? noKey)
  }

  private isValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false
    const { at, line } = this.cursor
    if (key.line === line && key.at + MAX_KEY_LENGTH >= at) return true
    if (key.isRequired) throw this.cursor.fault(NO_COLON)
    key.isPossible = false
    return false
  }

  private add(type: TokenType, line = this.cursor.line): void {
    this.tokens.push(token(type, line))
  }

  private fetch() {
    const { cursor } = this
    this.skipToToken()
    this.unroll(cursor.column)
    if (cursor.isEnd()) return this.fetchEnd()
    if (cursor.column === 0 && cursor.is("%")) {
      this.leaveBlocks()
      this.tokens.push(scanDirective(cursor))
      return
    }
    if (cursor.isDocumentMark()) {
      this.leaveBlocks()
      this.addIndicator(cursor.is("-") ? "documentStart" : "documentEnd", 3)
      return
    }
    this.fetchContent(cursor.text.charAt(cursor.at))
  }

  private fetchContent(character: string) {
    const { cursor, flowDepth } = this
    const isIndicator = cursor.isGap(1)
    switch (character) {
      case "[":
        return this.fetchFlowStart("flowListStart")
      case "{":
        return this.fetchFlowStart("flowMapStart")
      case "]":
        return this.fetchFlowEnd("flowListEnd")
      case "}":
        return this.fetchFlowEnd("flowMapEnd")
      case ",":
        this.removeKey()
        this.mayBeginKey = true
        return this.addIndicator("flowEntry")
      case "*":
      case "&":
        this.saveKey()
        this.mayBeginKey = false
        this.tokens.push(scanAnchor(cursor, character === "*" ? "alias" : "anchor"))
        return
      case "!":
        this.saveKey()
        this.mayBeginKey = false
        this.tokens.push(scanTag(cursor))
        return
      case "'":
      case '"':
        this.saveKey()
        this.mayBeginKey = false
        this.tokens.push(scanQuoted(cursor, character))
        return
    }
    if (character === "-" && isIndicator) return this.fetchEntry()
    if (character === "?" && (flowDepth > 0 || isIndicator)) return this.fetchKey()
    if (character === ":" && (flowDepth > 0 || isIndicator)) return this.fetchValue()
    if ((character === "|" || character === ">") && flowDepth === 0) {
      this.removeKey()
      this.mayBeginKey = true
      this.tokens.push(scanBlock(cursor, character === "|", this.indent))
      return
    }
    if (!this.beginsPlain(character)) throw cursor.fault("found character that cannot start any token")
    this.saveKey()
    this.mayBeginKey = false
    const { endsLine, scalar } = scanPlain(cursor, { indent: this.indent, isFlow: flowDepth > 0 })
    this.tokens.push(scalar)
    if (endsLine) this.mayBeginKey = true
  }

  private beginsPlain(character: string): boolean {
    const { cursor } = this
    if (!cursor.isGap() && !INDICATORS.has(character)) return true
    if (character === "-") return !cursor.isBlank(1)
    return this.flowDepth === 0 && (character === "?" || character === ":") && !cursor.isGap(1)
  }

  private skipToToken(): void {
    const { cursor } = this
    for (;;) {
      // Tabs may not indent a key.
      while (cursor.is(" ") || ((this.flowDepth > 0 || !this.mayBeginKey) && cursor.is("\t"))) cursor.skip()
      cursor.skipComment()
      if (!cursor.isBreak()) return
      cursor.readBreak()
      if (this.flowDepth === 0) this.mayBeginKey = true
    }
  }

  private addIndicator(type: TokenType, length = 1): void {
    this.add(type)
    this.cursor.skip(length)
  }

  private fetchEnd(): void {
    const { cursor } = this
    if (cursor.column !== 0) {
      cursor.column = 0
      cursor.line++
    }
    this.leaveBlocks()
    this.add("streamEnd")
  }

  private leaveBlocks(): void {
    this.unroll(-1)
    this.removeKey()
    this.mayBeginKey = false
  }

  private fetchFlowStart(type: TokenType): void {
    this.saveKey()
    this.simpleKeys.push({ ...noKey, number: this.number })
    if (this.flowDepth > MAX_DEPTH) throw this.cursor.fault(`exceeded max depth of ${MAX_DEPTH}`)
    this.mayBeginKey = true
    this.addIndicator(type)
  }

  private fetchFlowEnd(type: TokenType): void {
    this.removeKey()
    if (this.flowDepth > 0) this.depthOfKey.delete(this.simpleKeys.pop()?.number ?? 0)
    this.mayBeginKey = false
    this.addIndicator(type)
  }

  private fetchEntry(): void {
    // In a flow collection the parser refuses it.
    if (this.flowDepth === 0) {
      if (!this.mayBeginKey) throw this.cursor.fault("block sequence entries are not allowed in this context")
      this.roll("listStart", this.cursor.column, this.tokens.length, this.cursor.line)
    }
    this.removeKey()
    this.mayBeginKey = true
    this.addIndicator("entry")
  }

  private fetchKey(): void {
    if (this.flowDepth === 0) {
      if (!this.mayBeginKey) throw this.cursor.fault("mapping keys are not allowed in this context")
      this.roll("mapStart", this.cursor.column, this.tokens.length, this.cursor.line)
    }
    this.removeKey()
    this.mayBeginKey = this.flowDepth === 0
    this.addIndicator("key")
  }

  private fetchValue(): void {
    const key = this.simpleKeys.at(-1) ?? noKey
    if (this.isValid(key)) {
      const at = key.number - this.taken + this.next
      this.tokens.splice(at, 0, token("key", key.line))
      this.roll("mapStart", key.column, at, key.line)
      key.isPossible = false
      this.depthOfKey.delete(key.number)
      this.mayBeginKey = false
    } else {
      if (this.flowDepth === 0) {
        if (!this.mayBeginKey) throw this.cursor.fault("mapping values are not allowed in this context")
        this.roll("mapStart", this.cursor.column, this.tokens.length, this.cursor.line)
      }
      this.mayBeginKey = this.flowDepth === 0
    }
    this.addIndicator("value")
  }

  /** The number of the next token to be read. */
  private get number(): number {
    return this.taken + this.tokens.length - this.next
  }

  private saveKey(): void {
    if (!this.mayBeginKey) return
    const { at, column, line } = this.cursor
    const isRequired = this.flowDepth === 0 && this.indent === column
    const { number } = this
    this.removeKey()
    this.simpleKeys[this.flowDepth] = { isPossible: true, isRequired, number, at, line, column }
    this.depthOfKey.set(number, this.flowDepth)
  }

  private removeKey(): void {
    const key = this.simpleKeys.at(-1) ?? noKey
    if (!key.isPossible) return
    if (key.isRequired) throw this.cursor.fault(NO_COLON)
    key.isPossible = false
    this.depthOfKey.delete(key.number)
  }

  /** Begins a block collection at a column, if it is indented further than the one it is in. */
  private roll(type: TokenType, column: number, at: number, line: number): void {
    if (this.flowDepth > 0 || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    if (this.indents.length > MAX_DEPTH) throw this.cursor.fault(`exceeded max depth of ${MAX_DEPTH}`)
    this.tokens.splice(at, 0, token(type, line))
  }

  /** Ends the block collections that are indented further than a column. */
  private unroll(column: number): void {
    if (this.flowDepth > 0) return
    while (this.indent > column) {
      this.add("blockEnd")
      this.indent = this.indents.pop() ?? -1
    }
  }
}
