import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { parseDocument } from "yaml"
import { Kubeconfig } from "./Kubeconfig.ts"
import { KubeconfigError, type KubeconfigProblem, problem, suggestion } from "./KubeconfigError.ts"

export interface ParsedKubeconfig {
  readonly config: Kubeconfig
  /** Fields that are not known, and so do nothing. */
  readonly warnings: ReadonlyArray<KubeconfigProblem>
}

const UNEXPECTED = "unexpected key, known: "
const MAX_ALIASES = 100

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map((signature) => String(signature.name)) : []

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey" ? `${UNEXPECTED}${keysOf(issue.ast).join(" ")}` : SchemaIssue.defaultLeafHook(issue)
})

const decode = Schema.decodeUnknownResult(Kubeconfig)

const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input
  )

/** Credentials are not shown in messages. */
const SECRET = /^(token|password|client-key-data|client-certificate-data|certificate-authority-data|value)$/

const show = (value: unknown, key: string): string => {
  if (SECRET.test(key) && typeof value === "string") return "a string"
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

const judge = (file: string, input: unknown, issue: SchemaIssue.Issue) => {
  const errors: Array<KubeconfigProblem> = []
  const warnings: Array<KubeconfigProblem> = []
  const seen = new Set<string>()
  for (const { message, path = [] } of formatIssue(issue).issues) {
    const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
    const at = pathText(keys)
    if (seen.has(at)) continue
    seen.add(at)
    const last = String(keys.at(-1) ?? "")
    const found = valueAt(input, keys)
    if (message.startsWith(UNEXPECTED)) {
      const known = message.slice(UNEXPECTED.length).split(" ")
      warnings.push({ file, path: at, message: `unknown field${suggestion(last, known)}` })
    } else if (found === undefined) errors.push({ file, path: at, message: "is required" })
    else {
      const expected = message.replace(/^Expected /, "").replace(/, (got|actual) .*$/s, "")
      errors.push({ file, path: at, message: `found ${show(found, last)}, expected ${expected}` })
    }
  }
  return { errors, warnings }
}

const toValue = (file: string, text: string): Result.Result<unknown, KubeconfigError> => {
  const document = parseDocument(text, { version: "1.2", prettyErrors: true })
  const error = document.errors[0]
  if (error !== undefined) {
    const line = error.linePos?.[0]
    const where = line === undefined ? "" : `line ${line.line}, column ${line.col}`
    return Result.fail(problem(file, where, `not YAML: ${error.message.split("\n")[0]?.replace(/ at line.*$/, "")}`))
  }
  try {
    return Result.succeed(document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {})
  } catch (cause) {
    return Result.fail(problem(file, "", `not YAML: ${cause instanceof Error ? cause.message : String(cause)}`))
  }
}

/** Checks the text of a kubeconfig. An empty file is an empty configuration, as for kubectl. */
export const parseKubeconfig = (file: string, text: string): Result.Result<ParsedKubeconfig, KubeconfigError> => {
  const value = toValue(file, text)
  if (Result.isFailure(value)) return Result.fail(value.failure)
  const strict = decode(value.success, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(strict)) return Result.succeed({ config: strict.success, warnings: [] })
  const { errors, warnings } = judge(file, value.success, strict.failure.issue)
  if (errors.length > 0) return Result.fail(new KubeconfigError({ problems: errors }))
  const lenient = decode(value.success, { errors: "all", onExcessProperty: "ignore" })
  return Result.isSuccess(lenient)
    ? Result.succeed({ config: lenient.success, warnings })
    : Result.fail(new KubeconfigError({ problems: judge(file, value.success, lenient.failure.issue).errors }))
}
