import { SyntaxFault } from "./Cursor.ts"
import { Scanner } from "./Scanner.ts"
import type { Token, TokenType } from "./Token.ts"

/** A part of a document: a scalar, an alias, or the begin or the end of a collection. */
export interface YamlEvent {
  readonly type: "document" | "map" | "list" | "scalar" | "alias" | "end" | "streamEnd"
  /** The line on which it begins, from zero. */
  readonly line: number
  readonly anchor?: string | undefined
  readonly tag?: string | undefined
  readonly value: string
  readonly isPlain: boolean
}

type State = () => YamlEvent

const event = (type: YamlEvent["type"], line: number): YamlEvent => ({ type, line, value: "", isPlain: true })

const STANDARD = "tag:yaml.org,2002:"

/** A tag as goyaml shortens it. */
const shortTag = (tag: string): string => (tag.startsWith(STANDARD) ? `!!${tag.slice(STANDARD.length)}` : tag)

/**
 * Reads the events of the first document of a text, each when it is asked for. Upstream: go.yaml.in/yaml/v2, parserc.go.
 */
export class EventParser {
  private readonly scanner: Scanner
  private readonly states: Array<State> = []
  private readonly prefixes = new Map<string, string>()
  private state: State = () => this.documentStart()

  constructor(text: string) {
    this.scanner = new Scanner(text)
  }

  /** Returns the next event. Throws SyntaxFault. */
  next(): YamlEvent {
    return this.state()
  }

  private fault(problem: string, { line }: Token): SyntaxFault {
    return new SyntaxFault(problem, line)
  }

  /** Takes the next token, and returns the one after it. */
  private after(): Token {
    this.scanner.skip()
    return this.scanner.peek()
  }

  private pop(): void {
    this.state = this.states.pop() ?? (() => event("streamEnd", 0))
  }

  private isAny({ type }: Token, types: ReadonlyArray<TokenType>): boolean {
    return types.includes(type)
  }

  private emptyScalar(line: number): YamlEvent {
    return event("scalar", line)
  }

  private documentStart(): YamlEvent {
    const first = this.scanner.peek()
    if (first.type === "streamEnd") return event("streamEnd", first.line)
    const isExplicit = this.isAny(first, ["version", "tagDirective", "documentStart"])
    this.readDirectives()
    this.states.push(() => this.documentEnd())
    if (isExplicit) {
      const start = this.scanner.peek()
      if (start.type !== "documentStart") throw this.fault("did not find expected <document start>", start)
      this.scanner.skip()
      this.state = () => this.documentContent()
    } else this.state = () => this.node(true, false)
    return event("document", first.line)
  }

  private readDirectives(): void {
    let hasVersion = false
    for (let each = this.scanner.peek(); ; each = this.after()) {
      if (each.type === "version") {
        if (hasVersion) throw this.fault("found duplicate %YAML directive", each)
        if (each.value !== "1.1") throw this.fault("found incompatible YAML document", each)
        hasVersion = true
      } else if (each.type === "tagDirective") {
        if (this.prefixes.has(each.value)) throw this.fault("found duplicate %TAG directive", each)
        this.prefixes.set(each.value, each.suffix)
      } else break
    }
    if (!this.prefixes.has("!")) this.prefixes.set("!", "!")
    if (!this.prefixes.has("!!")) this.prefixes.set("!!", STANDARD)
  }

  private documentContent(): YamlEvent {
    const next = this.scanner.peek()
    if (!this.isAny(next, ["version", "tagDirective", "documentStart", "documentEnd", "streamEnd"]))
      return this.node(true, false)
    this.pop()
    return this.emptyScalar(next.line)
  }

  private documentEnd(): YamlEvent {
    const { line } = this.scanner.peek()
    this.state = () => event("streamEnd", line)
    return event("end", line)
  }

  /** Returns the tag of a token; throws for a handle that no directive names. */
  private tagOf(given: Token): string {
    if (given.value === "") return given.suffix
    const prefix = this.prefixes.get(given.value)
    if (prefix === undefined) throw this.fault("found undefined tag handle", given)
    return prefix + given.suffix
  }

  /** Reads a value. `isIndentless` says whether a sequence may have the indentation of its mapping. */
  private node(isBlock: boolean, isIndentless: boolean): YamlEvent {
    let next = this.scanner.peek()
    const { line } = next
    if (next.type === "alias") {
      this.pop()
      this.scanner.skip()
      return { ...event("alias", line), anchor: next.value }
    }
    let anchor: string | undefined
    let tagToken: Token | undefined
    while ((next.type === "anchor" && anchor === undefined) || (next.type === "tag" && tagToken === undefined)) {
      if (next.type === "anchor") anchor = next.value
      else tagToken = next
      next = this.after()
    }
    const tag = tagToken === undefined ? undefined : shortTag(this.tagOf(tagToken))
    const begin = (type: "list" | "map", state: State): YamlEvent => {
      this.state = state
      return { ...event(type, line), anchor, tag }
    }
    if (isIndentless && next.type === "entry") return begin("list", () => this.indentlessEntry())
    if (next.type === "scalar") {
      this.pop()
      this.scanner.skip()
      return { type: "scalar", line, anchor, tag, value: next.value, isPlain: next.isPlain }
    }
    if (next.type === "flowListStart") return begin("list", () => this.flowEntry(true))
    if (next.type === "flowMapStart") return begin("map", () => this.flowKey(true))
    if (isBlock && next.type === "listStart") return begin("list", () => this.blockEntry(true))
    if (isBlock && next.type === "mapStart") return begin("map", () => this.blockKey(true))
    if (anchor === undefined && tag === undefined) throw this.fault("did not find expected node content", next)
    this.pop()
    return { ...this.emptyScalar(line), anchor, tag }
  }

  /** Reads a value, after which the parser is in the given state; or an empty one before any of the tokens. */
  private nodeBefore(
    ends: ReadonlyArray<TokenType>,
    state: State,
    {
      emptyLine,
      isBlock = true,
      isIndentless = false
    }: { emptyLine?: number; isBlock?: boolean; isIndentless?: boolean }
  ): YamlEvent {
    const next = this.scanner.peek()
    if (this.isAny(next, ends)) {
      this.state = state
      return this.emptyScalar(emptyLine ?? next.line)
    }
    this.states.push(state)
    return this.node(isBlock, isIndentless)
  }

  private end(takesToken = true): YamlEvent {
    const { line } = this.scanner.peek()
    this.pop()
    if (takesToken) this.scanner.skip()
    return event("end", line)
  }

  private blockEntry(isFirst: boolean): YamlEvent {
    if (isFirst) this.scanner.skip()
    const next = this.scanner.peek()
    if (next.type === "blockEnd") return this.end()
    if (next.type !== "entry") throw this.fault("did not find expected '-' indicator", next)
    this.scanner.skip()
    return this.nodeBefore(["entry", "blockEnd"], () => this.blockEntry(false), { emptyLine: next.line })
  }

  private indentlessEntry(): YamlEvent {
    const next = this.scanner.peek()
    if (next.type !== "entry") return this.end(false)
    this.scanner.skip()
    const ends = ["entry", "key", "value", "blockEnd"] as const
    return this.nodeBefore(ends, () => this.indentlessEntry(), { emptyLine: next.line })
  }

  private blockKey(isFirst: boolean): YamlEvent {
    if (isFirst) this.scanner.skip()
    const next = this.scanner.peek()
    if (next.type === "blockEnd") return this.end()
    if (next.type !== "key") throw this.fault("did not find expected key", next)
    this.scanner.skip()
    const options = { emptyLine: next.line, isIndentless: true }
    return this.nodeBefore(["key", "value", "blockEnd"], () => this.blockValue(), options)
  }

  private blockValue(): YamlEvent {
    const next = this.scanner.peek()
    if (next.type !== "value") {
      this.state = () => this.blockKey(false)
      return this.emptyScalar(next.line)
    }
    this.scanner.skip()
    const options = { emptyLine: next.line, isIndentless: true }
    return this.nodeBefore(["key", "value", "blockEnd"], () => this.blockKey(false), options)
  }

  private flowEntry(isFirst: boolean): YamlEvent {
    if (isFirst) this.scanner.skip()
    let next = this.scanner.peek()
    if (next.type === "flowListEnd") return this.end()
    if (!isFirst) {
      if (next.type !== "flowEntry") throw this.fault("did not find expected ',' or ']'", next)
      next = this.after()
    }
    if (next.type === "flowListEnd") return this.end()
    if (next.type === "key") {
      this.scanner.skip()
      this.state = () => this.pairKey()
      return event("map", next.line)
    }
    this.states.push(() => this.flowEntry(false))
    return this.node(false, false)
  }

  /** Reads the key of a mapping of one pair, as in `[a: b]`. */
  private pairKey(): YamlEvent {
    const next = this.scanner.peek()
    const state = () => this.pairValue()
    if (!this.isAny(next, ["value", "flowEntry", "flowListEnd"])) {
      this.states.push(state)
      return this.node(false, false)
    }
    this.scanner.skip()
    this.state = state
    return this.emptyScalar(next.line)
  }

  private pairValue(): YamlEvent {
    const state = () => this.pairEnd()
    if (this.scanner.peek().type === "value") {
      this.scanner.skip()
      return this.nodeBefore(["flowEntry", "flowListEnd"], state, { isBlock: false })
    }
    this.state = state
    return this.emptyScalar(this.scanner.peek().line)
  }

  private pairEnd(): YamlEvent {
    this.state = () => this.flowEntry(false)
    return event("end", this.scanner.peek().line)
  }

  private flowKey(isFirst: boolean): YamlEvent {
    if (isFirst) this.scanner.skip()
    let next = this.scanner.peek()
    if (next.type === "flowMapEnd") return this.end()
    if (!isFirst) {
      if (next.type !== "flowEntry") throw this.fault("did not find expected ',' or '}'", next)
      next = this.after()
    }
    if (next.type === "flowMapEnd") return this.end()
    if (next.type === "key") {
      this.scanner.skip()
      return this.nodeBefore(["value", "flowEntry", "flowMapEnd"], () => this.flowValue(), { isBlock: false })
    }
    this.states.push(() => this.flowEmptyValue())
    return this.node(false, false)
  }

  private flowValue(): YamlEvent {
    const state = () => this.flowKey(false)
    if (this.scanner.peek().type === "value") {
      this.scanner.skip()
      return this.nodeBefore(["flowEntry", "flowMapEnd"], state, { isBlock: false })
    }
    this.state = state
    return this.emptyScalar(this.scanner.peek().line)
  }

  /** A key without a value. */
  private flowEmptyValue(): YamlEvent {
    this.state = () => this.flowKey(false)
    return this.emptyScalar(this.scanner.peek().line)
  }
}
