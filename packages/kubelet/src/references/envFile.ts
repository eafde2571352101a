import * as Result from "effect/Result"

/** The longest line of Go's bufio.Scanner. */
const MAX_LINE = 64 * 1024

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const trimStart = (text: string): string => text.replace(/^[ \t]+/, "")

interface Assignment {
  readonly name: string
  readonly value: string
  /** The last line of the value. */
  readonly last: number
}

const invalid = (line: number, why: string): Result.Result<never, string> =>
  Result.fail(`invalid environment variable format at line ${line + 1}: ${why}`)

/** Reads the value between quotes that begins in a line, and may go on in the next ones. */
const quotedFrom = (
  lines: ReadonlyArray<string>,
  first: number,
  name: string,
  start: string
): Result.Result<Assignment, string> => {
  let value = ""
  for (let [last, rest] = [first, start]; ; ) {
    const end = rest.indexOf("'")
    if (end !== -1) {
      const after = trimStart(rest.slice(end + 1))
      if (after !== "" && !after.startsWith("#")) return invalid(last, "unexpected content after closing quote")
      return Result.succeed({ name, value: value + rest.slice(0, end), last })
    }
    value += `${rest}\n`
    last++
    const next = lines[last]
    if (next === undefined) {
      return Result.fail(`invalid environment variable format starting at line ${first + 1}: unclosed single quote`)
    }
    rest = next
  }
}

/** Reads the assignment that begins in a line. */
const assignmentAt = (lines: ReadonlyArray<string>, at: number, line: string): Result.Result<Assignment, string> => {
  const equals = line.indexOf("=")
  if (equals === -1) return invalid(at, "missing '='")
  const name = line.slice(0, equals)
  const trimmed = name.replace(/[ \t]+$/, "")
  if (trimmed === "") return invalid(at, "empty variable name")
  if (trimmed !== name) return invalid(at, "whitespace before '=' is not allowed")
  const value = line.slice(equals + 1)
  // As in a shell, a blank after the sign ends an empty value.
  if (/^[ \t]/.test(value)) return Result.succeed({ name, value: "", last: at })
  return value.startsWith("'")
    ? quotedFrom(lines, at, name, value.slice(1))
    : invalid(at, "value must be enclosed in single quotes")
}

/**
 * Returns the value of a variable in an environment file; "" if it has none. What follows the variable is not looked at.
 * Upstream: pkg/kubelet/util/env/env_util.go, ParseEnv.
 */
export const parseEnvFile = (text: string, key: string): Result.Result<string, string> => {
  const lines = linesOf(text)
  for (let at = 0; at < lines.length; at++) {
    const line = trimStart(lines[at] ?? "")
    if ((lines[at] ?? "").length >= MAX_LINE) return Result.fail("bufio.Scanner: token too long")
    if (line === "" || line.startsWith("#")) continue
    const assignment = assignmentAt(lines, at, line)
    if (Result.isFailure(assignment)) return Result.fail(assignment.failure)
    if (assignment.success.name === key) return Result.succeed(assignment.success.value)
    at = assignment.success.last
  }
  return Result.succeed("")
}
