import * as Result from "effect/Result"
import { parseInt64 } from "../parseInt64.ts"
import { type FieldError, fieldErrorsText } from "../validation/FieldError.ts"
import { isQualifiedName, isValidLabelValue } from "../validation/names.ts"
import { type Token, type TokenKind, tokenize } from "./labelTokens.ts"
import { makeSelector, type Requirement, type Selector, SelectorError, type SelectorOperator } from "./Selector.ts"

type Parsed<A> = Result.Result<A, string>

const operators: Readonly<Partial<Record<TokenKind, SelectorOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt"
}

/** A position in the tokens. `in` and `notin` are plain words unless an operator is expected. */
class Cursor {
  private at = 0
  private readonly tokens: ReadonlyArray<Token>
  constructor(tokens: ReadonlyArray<Token>) {
    this.tokens = tokens
  }
  peek(): Token {
    return this.tokens[this.at] ?? { kind: "end", text: "" }
  }
  next(): Token {
    const token = this.peek()
    this.at++
    return token
  }
}

const isWord = ({ kind }: Token): boolean => kind === "identifier" || kind === "in" || kind === "notin"

const invalid = (field: string, badValue: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  badValue,
  detail
})

const checkValues = (key: string, operator: SelectorOperator, values: ReadonlyArray<string>): Parsed<Requirement> => {
  const errors: Array<FieldError> = []
  if (operator === "gt" || operator === "lt") {
    for (const [index, value] of values.entries()) {
      if (parseInt64(value) === undefined) {
        errors.push(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      }
    }
  }
  for (const [index, value] of values.entries()) {
    const messages = isValidLabelValue(value)
    if (messages.length > 0) errors.push(invalid(`values[${index}][${key}]`, value, messages.join("; ")))
  }
  return errors.length > 0 ? Result.fail(fieldErrorsText(errors)) : Result.succeed({ key, operator, values })
}

/** Parses the values in parentheses. Nothing between two commas is the empty value. */
const parseValues = (cursor: Cursor): Parsed<ReadonlyArray<string>> => {
  const open = cursor.next()
  if (open.kind !== "(") return Result.fail(`found '${open.text}' expected: '('`)
  const first = cursor.peek()
  if (first.kind === ")") {
    cursor.next()
    return Result.succeed([""])
  }
  if (!isWord(first) && first.kind !== ",") {
    return Result.fail(`found '${first.text}', expected: ',', ')' or identifier`)
  }
  const values = new Set<string>()
  for (;;) {
    const token = cursor.next()
    const after = cursor.peek()
    if (isWord(token)) {
      values.add(token.text)
      if (after.kind === ")") break
      if (after.kind !== ",") return Result.fail(`found '${after.text}', expected: ',' or ')'`)
    } else if (token.kind === ",") {
      if (values.size === 0 || after.kind === "," || after.kind === ")") values.add("")
      if (after.kind === ")") break
      if (after.kind === ",") cursor.next()
    } else return Result.fail(`found '${token.text}', expected: ',', or identifier`)
  }
  cursor.next()
  return Result.succeed([...values].sort())
}

const parseExactValue = (cursor: Cursor): Parsed<ReadonlyArray<string>> => {
  const { kind } = cursor.peek()
  if (kind === "end" || kind === ",") return Result.succeed([""])
  const token = cursor.next()
  return isWord(token) ? Result.succeed([token.text]) : Result.fail(`found '${token.text}', expected: identifier`)
}

const parseRequirement = (cursor: Cursor): Parsed<Requirement> => {
  const first = cursor.next()
  const negated = first.kind === "!"
  const keyToken = negated ? cursor.next() : first
  if (!isWord(keyToken)) return Result.fail(`found '${keyToken.text}', expected: identifier`)
  const key = keyToken.text
  const errors = isQualifiedName(key)
  if (errors.length > 0) return Result.fail(fieldErrorsText([invalid("<nil>", key, errors.join("; "))]))
  const following = cursor.peek().kind
  if (negated || following === "end" || following === ",") {
    return Result.succeed({ key, operator: negated ? "!" : "exists", values: [] })
  }
  const operatorToken = cursor.next()
  const operator = operators[operatorToken.kind]
  if (operator === undefined) {
    return Result.fail(`found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`)
  }
  const values = operator === "in" || operator === "notin" ? parseValues(cursor) : parseExactValue(cursor)
  return Result.isFailure(values) ? Result.fail(values.failure) : checkValues(key, operator, values.success)
}

const parse = (cursor: Cursor): Parsed<ReadonlyArray<Requirement>> => {
  const requirements: Array<Requirement> = []
  for (let token = cursor.peek(); token.kind !== "end"; token = cursor.peek()) {
    if (!isWord(token) && token.kind !== "!") {
      return Result.fail(`found '${token.text}', expected: !, identifier, or 'end of string'`)
    }
    const requirement = parseRequirement(cursor)
    if (Result.isFailure(requirement)) return Result.fail(`unable to parse requirement: ${requirement.failure}`)
    requirements.push(requirement.success)
    const separator = cursor.next()
    if (separator.kind === "end") break
    if (separator.kind !== ",") return Result.fail(`found '${separator.text}', expected: ',' or 'end of string'`)
    const after = cursor.peek()
    if (!isWord(after) && after.kind !== "!") {
      return Result.fail(`found '${after.text}', expected: identifier after ','`)
    }
  }
  return Result.succeed(requirements)
}

/**
 * Parses a label selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<2`, joined by commas.
 * Upstream: apimachinery/pkg/labels/selector.go, Parse.
 */
export const parseLabelSelector = (text: string): Result.Result<Selector, SelectorError> => {
  const requirements = parse(new Cursor(tokenize(text)))
  return Result.isFailure(requirements)
    ? Result.fail(new SelectorError({ message: requirements.failure }))
    : Result.succeed(makeSelector(requirements.success))
}
