import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { didYouMean, formatPath, InvalidInput, type Problem, show } from "./Problem.ts"

const UNEXPECTED = "unexpected key, known: "

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map((signature) => String(signature.name)) : []

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey" ? `${UNEXPECTED}${keysOf(issue.ast).join(" ")}` : SchemaIssue.defaultLeafHook(issue)
})

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input
  )

const describe = (input: unknown, path: ReadonlyArray<PropertyKey>, message: string): string => {
  if (message.startsWith(UNEXPECTED)) {
    const known = message.slice(UNEXPECTED.length).split(" ")
    return `unknown field${didYouMean(String(path.at(-1)), known) || `; known here: ${known.join(", ")}`}`
  }
  const found = valueAt(input, path)
  if (message === "Missing key" || found === undefined) return "is required"
  const expected = message.replace(/^Expected /, "")
  const literals = [...expected.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "")
  const near = typeof found === "string" && literals.length > 1 ? didYouMean(found, literals) : ""
  return `found ${show(found)}, expected ${expected}${near}`
}

/** The problems that a schema found in a value; `base` is where the value stands in its file. */
export const problemsOf = (
  file: string,
  input: unknown,
  base: string,
  issue: SchemaIssue.Issue
): ReadonlyArray<Problem> => {
  const problems = new Map<string, Problem>()
  for (const { path, message } of formatIssue(issue).issues) {
    const keys = (path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
    const inside = formatPath(keys)
    const at = base === "" || inside === "" ? base + inside : `${base}.${inside}`
    if (!problems.has(at)) problems.set(at, { file, path: at, message: describe(input, keys, message) })
  }
  return [...problems.values()]
}

/**
 * Checks a value against a schema, strictly: every field that the schema does not know is a problem, and all problems are
 * reported at once. `base` is where the value stands in its file.
 */
export const checkStrictly =
  <A>(schema: Schema.Codec<A, unknown>) =>
  (file: string, input: unknown, base = ""): Result.Result<A, InvalidInput> => {
    const decoded = Schema.decodeUnknownResult(schema)(input, { errors: "all", onExcessProperty: "error" })
    return Result.isSuccess(decoded)
      ? Result.succeed(decoded.success)
      : Result.fail(new InvalidInput({ problems: problemsOf(file, input, base, decoded.failure.issue) }))
  }
