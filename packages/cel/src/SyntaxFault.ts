/** Thrown for a syntax error of an expression; `at` is the position in the text. */
export class SyntaxFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
