import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { formatPath, InvalidInput, nearest, type Problem, problemAt, type Wrong } from "./Problem.ts"
import { show } from "./show.ts"
import { missing, unknownField, wrongValue } from "./wrong.ts"

const UNEXPECTED = "unexpected key, known: "

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map((signature) => String(signature.name)) : []

/** The expectation in a schema's annotation; undefined if it has none. */
const expectedBySchema = (ast: SchemaAST.AST): string | undefined =>
  typeof ast.annotations?.expected === "string" ? `Expected ${ast.annotations.expected}` : undefined

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return `${UNEXPECTED}${keysOf(issue.ast).join(" ")}`
    return (
      (issue._tag === "InvalidType" ? expectedBySchema(issue.ast) : undefined) ?? SchemaIssue.defaultLeafHook(issue)
    )
  }
})

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input
  )

/** A field that the schema does not have. */
export interface UnknownField {
  readonly path: string
  readonly name: string
  /** The names of the fields that the schema has in its place. */
  readonly known: ReadonlyArray<string>
}

interface SortedIssues {
  readonly problems: ReadonlyArray<Problem>
  readonly unknown: ReadonlyArray<UnknownField>
}

/** Formats a value for a message; by the name of its field it can hide a credential. */
type Show = (value: unknown, name: string) => string

const describe = (input: unknown, path: ReadonlyArray<PropertyKey>, message: string, shown: Show): Wrong => {
  const found = valueAt(input, path)
  if (message === "Missing key" || found === undefined) return missing()
  const expected = message.replace(/^Expected /, "")
  const literals = [...expected.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "")
  return wrongValue(found, expected, {
    names: literals.length > 1 ? literals : [],
    shown: (value) => shown(value, String(path.at(-1) ?? ""))
  })
}

/** Divides the issues of a schema into problems and accepted unknown fields; the first issue of a path counts. */
const sortIssues = (
  file: string,
  input: unknown,
  base: string,
  issue: SchemaIssue.Issue,
  shown: Show,
  isProblem: (field: UnknownField) => boolean
): SortedIssues => {
  const problems = new Map<string, Problem>()
  const unknown: Array<UnknownField> = []
  for (const { path = [], message } of formatIssue(issue).issues) {
    const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
    const innerPath = formatPath(keys)
    const at = base === "" || innerPath === "" ? base + innerPath : `${base}.${innerPath}`
    if (problems.has(at)) continue
    if (!message.startsWith(UNEXPECTED)) {
      problems.set(at, problemAt(file, at, describe(input, keys, message, shown)))
      continue
    }
    const known = message.slice(UNEXPECTED.length).split(" ")
    const field = { path: at, name: String(keys.at(-1)), known }
    if (isProblem(field)) problems.set(at, problemAt(file, at, unknownField(field.name, known)))
    else unknown.push(field)
  }
  return { problems: [...problems.values()], unknown }
}

/** Returns the problems that a schema found in a value; `base` is the path of the value in its file. */
export const problemsOf = (
  file: string,
  input: unknown,
  base: string,
  issue: SchemaIssue.Issue
): ReadonlyArray<Problem> => sortIssues(file, input, base, issue, show, () => true).problems

/**
 * Returns a function that checks a value against a schema. Every field that the schema does not have is a problem, and
 * all problems are reported at once. `base` is the path of the value in its file.
 */
export const checkStrictly =
  <A>(schema: Schema.Codec<A, unknown>) =>
  (file: string, input: unknown, base = ""): Result.Result<A, InvalidInput> =>
    Result.map(checkLeniently(schema, { refuses: () => true })(file, input, base), ({ value }) => value)

export interface LenientOptions {
  /** Whether an unknown field is a problem; by default it is one if its name is similar to that of a known field. */
  readonly refuses?: (field: UnknownField) => boolean
  /** Formats a value for a message; the default is `show`. */
  readonly shown?: (value: unknown, name: string) => string
}

/** A checked value without its unknown fields, and those fields. */
export interface Lenient<A> {
  readonly value: A
  readonly unknown: ReadonlyArray<UnknownField>
}

const isMisspelt = ({ known, name }: UnknownField): boolean => nearest(name, known) !== undefined

/**
 * Returns a function that checks a value against a schema as Go's components read their files: unknown fields are left
 * out and listed.
 */
export const checkLeniently =
  <A>(schema: Schema.Codec<A, unknown>, { refuses = isMisspelt, shown = show }: LenientOptions = {}) =>
  (file: string, input: unknown, base = ""): Result.Result<Lenient<A>, InvalidInput> => {
    const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
    const strict = decode(input, { onExcessProperty: "error" })
    if (Result.isSuccess(strict)) return Result.succeed({ value: strict.success, unknown: [] })
    const { problems, unknown } = sortIssues(file, input, base, strict.failure.issue, shown, refuses)
    if (problems.length > 0) return Result.fail(new InvalidInput({ problems }))
    return Result.mapBoth(decode(input, { onExcessProperty: "ignore" }), {
      onSuccess: (value) => ({ value, unknown }),
      onFailure: ({ issue }) => new InvalidInput({ problems: problemsOf(file, input, base, issue) })
    })
  }
