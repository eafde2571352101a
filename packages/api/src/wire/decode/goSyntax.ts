import { maxDepth } from "./maxDepth.ts"

/** Returns the first UTF-8 byte of a character: Go's scanner reads bytes, and its error shows this one as Latin-1. */
const firstByte = (text: string, at: number): number => {
  const code = text.codePointAt(at) ?? 0
  if (code < 0x80) return code
  if (code < 0x800) return 0xc0 | (code >> 6)
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18)
}

/** Go's escapes of a byte in a character literal. */
const escapes = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [39, "\\'"],
  [92, "\\\\"]
])

const quoted = (byte: number): string => {
  const known = escapes.get(byte)
  if (known !== undefined) return `'${known}'`
  if (byte < 32 || byte === 127) return `'\\x${byte.toString(16).padStart(2, "0")}'`
  if ((byte > 127 && byte < 161) || byte === 173) return `'\\u${byte.toString(16).padStart(4, "0")}'`
  return `'${String.fromCharCode(byte)}'`
}

const END = "unexpected end of JSON input"
const isDigit = (code: number) => code >= 48 && code <= 57
const isHex = (code: number) => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)

class Scanner {
  private at = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the error, or undefined for valid JSON. */
  document(): string | undefined {
    const error = this.value(0)
    if (error !== undefined) return error
    this.skipBlanks()
    return this.at < this.text.length ? this.invalidCharacter("after top-level value") : undefined
  }

  private invalidCharacter(where: string): string {
    return this.at >= this.text.length ? END : `invalid character ${quoted(firstByte(this.text, this.at))} ${where}`
  }

  private code(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1
  }

  private skipBlanks() {
    for (let code = this.code(); code === 32 || code === 9 || code === 10 || code === 13; code = this.code()) this.at++
  }

  private value(depth: number): string | undefined {
    this.skipBlanks()
    const code = this.code()
    if (code === 123 || code === 91)
      return depth >= maxDepth ? this.invalidCharacter("exceeded max depth") : this.nested(code, depth + 1)
    if (code === 34) return this.string()
    if (code === 45 || isDigit(code)) return this.number()
    for (const word of ["true", "false", "null"]) if (code === word.charCodeAt(0)) return this.word(word)
    return this.invalidCharacter("looking for beginning of value")
  }

  private nested(open: number, depth: number): string | undefined {
    const close = open === 123 ? 125 : 93
    this.at++
    this.skipBlanks()
    if (this.code() === close) {
      this.at++
      return undefined
    }
    for (;;) {
      const error = open === 123 ? (this.key() ?? this.value(depth)) : this.value(depth)
      if (error !== undefined) return error
      this.skipBlanks()
      const next = this.code()
      if (next !== 44 && next !== close) {
        return this.invalidCharacter(open === 123 ? "after object key:value pair" : "after array element")
      }
      this.at++
      if (next === close) return undefined
    }
  }

  private key(): string | undefined {
    this.skipBlanks()
    if (this.code() !== 34) return this.invalidCharacter("looking for beginning of object key string")
    const error = this.string()
    if (error !== undefined) return error
    this.skipBlanks()
    if (this.code() !== 58) return this.invalidCharacter("after object key")
    this.at++
    return undefined
  }

  private string(): string | undefined {
    for (this.at++; this.code() !== 34; this.at++) {
      if (this.code() < 32) return this.invalidCharacter("in string literal")
      if (this.code() === 92) {
        this.at++
        if (!'"\\/bfnrtu'.includes(this.text.charAt(this.at)) || this.code() === -1) {
          return this.invalidCharacter("in string escape code")
        }
        if (this.code() === 117) {
          for (let digit = 0; digit < 4; digit++) {
            this.at++
            if (!isHex(this.code())) return this.invalidCharacter("in \\u hexadecimal character escape")
          }
        }
      }
    }
    this.at++
    return undefined
  }

  private skipDigits() {
    while (isDigit(this.code())) this.at++
  }

  private number(): string | undefined {
    if (this.code() === 45) this.at++
    if (!isDigit(this.code())) return this.invalidCharacter("in numeric literal")
    if (this.code() === 48) this.at++
    else this.skipDigits()
    if (this.code() === 46) {
      this.at++
      if (!isDigit(this.code())) return this.invalidCharacter("after decimal point in numeric literal")
      this.skipDigits()
    }
    if (this.code() === 101 || this.code() === 69) {
      this.at++
      if (this.code() === 43 || this.code() === 45) this.at++
      if (!isDigit(this.code())) return this.invalidCharacter("in exponent of numeric literal")
      this.skipDigits()
    }
    return undefined
  }

  private word(word: string): string | undefined {
    for (let index = 0; index < word.length; index++, this.at++) {
      if (this.code() !== word.charCodeAt(index)) {
        return this.invalidCharacter(`in literal ${word} (expecting '${word.charAt(index)}')`)
      }
    }
    return undefined
  }
}

/**
 * Returns the error of Go's encoding/json for invalid JSON; undefined for valid JSON. It may be slow, because it runs
 * only for texts that JSON.parse rejects and for the few that `Reader` decodes. Upstream: Go's encoding/json/scanner.go,
 * with the same states.
 */
export const goSyntaxError = (text: string): string | undefined => new Scanner(text).document()
