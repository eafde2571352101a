/** A syntax error of goyaml, with the line that it names, if any. Not thrown beyond the reader of texts. */
export class SyntaxFault extends Error {
  constructor(problem: string, line: number) {
    super(`yaml: ${line === 0 ? "" : `line ${line}: `}${problem}`)
  }
}

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const NEXT_LINE = 0x85
const LINE_SEPARATOR = 0x2028
const PARAGRAPH_SEPARATOR = 0x2029

/** A position in a text. The code of the end of the text is 0, which no text contains. */
export class Cursor {
  readonly text: string
  at = 0
  /** Both count from zero. */
  line = 0
  column = 0

  constructor(text: string) {
    this.text = text
  }

  /** Returns the code of the character at a distance. */
  code(distance = 0): number {
    const at = this.at + distance
    return at < this.text.length ? this.text.charCodeAt(at) : 0
  }

  is(character: string, distance = 0): boolean {
    return this.text[this.at + distance] === character
  }

  isEnd(): boolean {
    return this.at >= this.text.length
  }

  isBlank(distance = 0): boolean {
    const code = this.code(distance)
    return code === SPACE || code === TAB
  }

  isBreak(distance = 0): boolean {
    const code = this.code(distance)
    return (
      code === LINE_FEED ||
      code === RETURN ||
      code === NEXT_LINE ||
      code === LINE_SEPARATOR ||
      code === PARAGRAPH_SEPARATOR
    )
  }

  /** Whether there is a blank, a line break or the end of the text. */
  isGap(distance = 0): boolean {
    return this.isBlank(distance) || this.isBreak(distance) || this.at + distance >= this.text.length
  }

  /** Whether a document begins or ends here. */
  isDocumentMark(): boolean {
    if (this.column !== 0) return false
    const mark = this.text.slice(this.at, this.at + 3)
    return (mark === "---" || mark === "...") && this.isGap(3)
  }

  skip(count = 1): void {
    this.at += count
    this.column += count
  }

  skipBlanks(): void {
    while (this.isBlank()) this.skip()
  }

  /** Skips a comment, if there is one. */
  skipComment(): void {
    if (this.is("#")) while (!this.isBreak() && !this.isEnd()) this.skip()
  }

  /** Passes a line break, and returns it as a text has it: any but the separators of Unicode is a line feed. */
  readBreak(): string {
    const code = this.code()
    this.at += code === RETURN && this.code(1) === LINE_FEED ? 2 : 1
    this.line++
    this.column = 0
    return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? String.fromCharCode(code) : "\n"
  }

  /** Returns the error of a scanner here: goyaml counts its lines from one, and does not name the first. */
  fault(problem: string): SyntaxFault {
    return new SyntaxFault(problem, this.line === 0 ? 0 : this.line + 1)
  }
}
