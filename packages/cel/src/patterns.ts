import { RE2JS } from "re2js"

/** Returns a function of a text that caches its latest results: at least `size` and at most twice as many. */
const cached = <A>(size: number, make: (text: string) => A): ((text: string) => A) => {
  let young = new Map<string, A>()
  let old = new Map<string, A>()
  return (text) => {
    const known = young.get(text)
    if (known !== undefined) return known
    const made = old.get(text) ?? make(text)
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(text, made)
    return made
  }
}

/** Go's error for an invalid pattern: ``error parsing regexp: missing closing ): `(` ``. */
export class PatternFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/**
 * A regular expression with Go's syntax and linear time in the text: `^(a+)+$` costs no more than `^a+$`. Upstream:
 * regexp.Compile, regexp/syntax (repeats up to 1000 in total, 1000 levels of nesting).
 */
export class Pattern {
  /** The pattern's source. */
  readonly text: string
  private compiled: RE2JS
  /** How many bytes the automaton's states use at most, since it was compiled. */
  private stateBytes = 0

  constructor(text: string) {
    this.text = text
    this.compiled = RE2JS.compile(text)
  }

  /**
   * Returns the maximum number of steps of a search in a text of this length: each instruction once at each character.
   */
  steps(length: number): number {
    return this.compiled.programSize() * (length + 1)
  }

  /**
   * Returns the compiled pattern for a search in a text of this length; compiles it again if it uses too much memory.
   */
  for(length: number): RE2JS {
    if (this.stateBytes > MAX_STATE_BYTES) {
      this.compiled = RE2JS.compile(this.text)
      this.stateBytes = 0
    }
    this.stateBytes += (length + 1) * (STATE_BYTES + STATE_BYTES_PER_INSTRUCTION * this.compiled.programSize())
    return this.compiled
  }

  /** Whether it matches anywhere in the text. */
  matches(text: string): boolean {
    return this.for(text.length).test(text)
  }
}

/**
 * The memory of a pattern's states beyond which it is compiled again. Each character of a searched text adds at most
 * one state to the automaton, and the library would keep up to 8 MB of them for each pattern.
 */
const MAX_STATE_BYTES = 256 * 1024
const STATE_BYTES = 400
const STATE_BYTES_PER_INSTRUCTION = 8

/** Longer patterns are compiled for each use, so that the cache is bounded by its number of entries. */
const MAX_CACHED_LENGTH = 1024
const MAX_PATTERNS = 256

const compileUncached = (text: string): Pattern | PatternFault => {
  try {
    return new Pattern(text)
  } catch (error) {
    return new PatternFault(error instanceof Error ? error.message : String(error))
  }
}

const compileCached = cached(MAX_PATTERNS, compileUncached)

/** The steps of compiling a pattern, for each character: about a microsecond. */
const COMPILE_STEPS = 40

/** Returns the steps of compiling a pattern; 0 for a short one, which is cached. */
export const compileSteps = (text: string): number =>
  text.length > MAX_CACHED_LENGTH ? text.length * COMPILE_STEPS : 0

/** Returns a compiled pattern, or why it is invalid. */
export const compilePattern = (text: string): Pattern | PatternFault =>
  text.length > MAX_CACHED_LENGTH ? compileUncached(text) : compileCached(text)
