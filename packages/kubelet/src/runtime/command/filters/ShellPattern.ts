/*
 * Regular expressions of grep, sed and awk: basic and extended ones of POSIX. A search takes a bounded number of steps,
 * whatever its pattern, since it runs in the process of the server.
 */

/** The steps of one search, besides some for each character. */
const MAX_STEPS = 5_000
const STEPS_PER_CHARACTER = 3
const MAX_PATTERN = 256
/** How deep parts of a pattern are matched within others; more would need too much stack. */
const MAX_DEPTH = 500

type Test = (char: string) => boolean

type Node =
  | { readonly kind: "set"; readonly test: Test }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "group"; readonly index: number; readonly choices: ReadonlyArray<Sequence> }
  | { readonly kind: "repeat"; readonly of: Node; readonly least: number; readonly most: number }

type Sequence = ReadonlyArray<Node>

export interface PatternMatch {
  readonly start: number
  readonly end: number
  /** The text of the groups, from the first one on. */
  readonly groups: ReadonlyArray<string>
}

/** Finds the first match at or after an index. Returns null without one, and undefined if it takes too long. */
export type Search = (text: string, from: number) => PatternMatch | null | undefined

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /\d/,
  alnum: /[A-Za-z\d]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/
}

class PatternFault extends Error {}

/** Reads the nodes of a pattern; throws a PatternFault for what is not modelled. */
class PatternParser {
  private readonly text: string
  private readonly isExtended: boolean
  private readonly fold: (char: string) => string
  private at = 0
  private groups = 0

  constructor(text: string, isExtended: boolean, ignoresCase: boolean) {
    this.text = text
    this.isExtended = isExtended
    this.fold = ignoresCase ? (char) => char.toLowerCase() : (char) => char
  }

  parse(): Node {
    const whole = this.group(0)
    if (this.at < this.text.length) throw new PatternFault()
    return whole
  }

  /** Takes an operator, which is escaped in a basic expression. */
  private take(operator: string): boolean {
    const written = this.isExtended ? operator : `\\${operator}`
    if (!this.text.startsWith(written, this.at)) return false
    this.at += written.length
    return true
  }

  private group(index: number): Node {
    const choices: Array<Sequence> = []
    do choices.push(this.sequence())
    while (this.take("|"))
    return { kind: "group", index, choices }
  }

  private sequence(): Sequence {
    const nodes: Array<Node> = []
    const closes = this.isExtended ? ")" : "\\)"
    const divides = this.isExtended ? "|" : "\\|"
    while (
      this.at < this.text.length &&
      !this.text.startsWith(closes, this.at) &&
      !this.text.startsWith(divides, this.at)
    ) {
      nodes.push(this.repeated(this.single(nodes.length === 0), nodes.length === 0))
    }
    return nodes
  }

  private single(isFirst: boolean): Node {
    if (this.take("(")) {
      const group = this.group(++this.groups)
      if (!this.take(")")) throw new PatternFault()
      return group
    }
    const char = this.text.charAt(this.at++)
    if (char === "^" && (isFirst || this.isExtended)) return { kind: "start" }
    if (char === "$" && (this.isExtended || this.isLast())) return { kind: "end" }
    if (char === ".") return { kind: "set", test: () => true }
    if (char === "[") return { kind: "set", test: this.bracket() }
    if (char === "\\") return this.escaped(this.text.charAt(this.at++))
    if ((this.isExtended && "*+?{".includes(char)) || (char === "*" && !isFirst)) throw new PatternFault()
    return this.literal(char)
  }

  private isLast(): boolean {
    const rest = this.text.slice(this.at)
    return rest === "" || rest.startsWith("\\)") || rest.startsWith("\\|")
  }

  private literal(char: string): Node {
    const wanted = this.fold(char)
    return { kind: "set", test: (found) => this.fold(found) === wanted }
  }

  private escaped(char: string): Node {
    const known = { w: /\w/, W: /\W/, s: /\s/, S: /\S/, d: /\d/ }[char]
    if (known !== undefined) return { kind: "set", test: (found) => known.test(found) }
    if (char === "t") return this.literal("\t")
    if (char === "" || /[A-Za-z0-9<>]/.test(char)) throw new PatternFault()
    return this.literal(char)
  }

  private bracket(): Test {
    const isNegated = this.text.charAt(this.at) === "^"
    if (isNegated) this.at++
    const tests: Array<Test> = []
    for (let isFirst = true; isFirst || this.text.charAt(this.at) !== "]"; isFirst = false) {
      if (this.at >= this.text.length) throw new PatternFault()
      tests.push(this.bracketItem())
    }
    this.at++
    return (char) => tests.some((test) => test(char)) !== isNegated
  }

  private bracketItem(): Test {
    const [all, name] = /^\[:(\w+):\]/.exec(this.text.slice(this.at, this.at + 20)) ?? []
    if (all !== undefined && name !== undefined) {
      const known = Object.hasOwn(classes, name) ? classes[name] : undefined
      if (known === undefined) throw new PatternFault()
      this.at += all.length
      return (char) => known.test(char)
    }
    const first = this.text.charAt(this.at++)
    const last = this.text.charAt(this.at + 1)
    if (this.text.charAt(this.at) !== "-" || last === "]" || last === "") {
      return (char) => this.fold(char) === this.fold(first)
    }
    this.at += 2
    const isIn = (char: string): boolean => char >= first && char <= last
    return (char) => isIn(char) || (this.fold("A") === "a" && (isIn(char.toLowerCase()) || isIn(char.toUpperCase())))
  }

  private repeated(node: Node, isFirst: boolean): Node {
    let found = node
    for (;;) {
      const bounds = this.bounds(isFirst && node.kind === "start")
      if (bounds === undefined) return found
      if (found.kind === "repeat") throw new PatternFault()
      found = { kind: "repeat", of: found, ...bounds }
    }
  }

  private bounds(isAfterStart: boolean): { readonly least: number; readonly most: number } | undefined {
    const most = Number.POSITIVE_INFINITY
    if (this.text.charAt(this.at) === "*") {
      if (isAfterStart) throw new PatternFault()
      this.at++
      return { least: 0, most }
    }
    if (this.take("+")) return { least: 1, most }
    if (this.take("?")) return { least: 0, most: 1 }
    if (!this.take("{")) return undefined
    const [all, least, comma, last] = /^(\d{1,3})(,?)(\d{0,3})/.exec(this.text.slice(this.at)) ?? []
    if (all === undefined) throw new PatternFault()
    this.at += all.length
    if (!this.take("}")) throw new PatternFault()
    return { least: Number(least), most: comma === "" ? Number(least) : last === "" ? most : Number(last) }
  }
}

class TooLong extends Error {}

type Next = (at: number) => number

/** Matches a pattern at one place of a text, and elsewhere if it does not; a greedy choice goes first. */
class Matcher {
  private readonly text: string
  readonly groups: Array<string | undefined> = []
  /** The steps that are left. */
  private steps: number
  private depth = 0

  constructor(text: string) {
    this.text = text
    this.steps = MAX_STEPS + STEPS_PER_CHARACTER * text.length
  }

  /** Returns the end of a match; -1 without one. */
  match(node: Node, at: number, next: Next): number {
    if (--this.steps < 0 || this.depth > MAX_DEPTH) throw new TooLong()
    this.depth++
    const end = this.matchOf(node, at, next)
    this.depth--
    return end
  }

  private matchOf(node: Node, at: number, next: Next): number {
    if (node.kind === "set") return at < this.text.length && node.test(this.text.charAt(at)) ? next(at + 1) : -1
    if (node.kind === "start") return at === 0 ? next(at) : -1
    if (node.kind === "end") return at === this.text.length ? next(at) : -1
    if (node.kind === "repeat")
      return node.of.kind === "set" ? this.run(node, node.of.test, at, next) : this.turn(node, 0, at, next)
    for (const choice of node.choices) {
      const end = this.sequence(choice, 0, at, (after) => {
        const before = this.groups[node.index]
        this.groups[node.index] = this.text.slice(at, after)
        const found = next(after)
        if (found < 0) this.groups[node.index] = before
        return found
      })
      if (end >= 0) return end
    }
    return -1
  }

  private sequence(nodes: Sequence, index: number, at: number, next: Next): number {
    const node = nodes[index]
    return node === undefined ? next(at) : this.match(node, at, (after) => this.sequence(nodes, index + 1, after, next))
  }

  /** Repeats a single character without a call for each. */
  private run({ least, most }: Extract<Node, { readonly kind: "repeat" }>, test: Test, at: number, next: Next): number {
    let end = at
    while (end - at < most && end < this.text.length && test(this.text.charAt(end))) end++
    this.steps -= end - at
    for (; end - at >= least; end--) {
      if (--this.steps < 0) throw new TooLong()
      const found = next(end)
      if (found >= 0) return found
    }
    return -1
  }

  private turn(node: Extract<Node, { readonly kind: "repeat" }>, count: number, at: number, next: Next): number {
    const again =
      count >= node.most
        ? -1
        : // A turn that takes nothing would repeat without end.
          this.match(node.of, at, (after) => (after === at ? -1 : this.turn(node, count + 1, after, next)))
    return again >= 0 || count < node.least ? again : next(at)
  }
}

/** Returns the search for a pattern; undefined for one that is not modelled. */
export const searchFor = (pattern: string, isExtended: boolean, ignoresCase: boolean): Search | undefined => {
  if (pattern.length > MAX_PATTERN) return undefined
  let whole: Node
  try {
    whole = new PatternParser(pattern, isExtended, ignoresCase).parse()
  } catch (error) {
    if (error instanceof PatternFault) return undefined
    throw error
  }
  return (text, from) => {
    const matcher = new Matcher(text)
    try {
      for (let start = from; start <= text.length; start++) {
        const end = matcher.match(whole, start, (at) => at)
        if (end >= 0) return { start, end, groups: matcher.groups.slice(1).map((group) => group ?? "") }
      }
      return null
    } catch (error) {
      if (error instanceof TooLong) return undefined
      throw error
    }
  }
}
