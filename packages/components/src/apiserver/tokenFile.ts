import { readText } from "@rollcall/files"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** A bearer token with its user. */
export interface TokenLine {
  readonly token: string
  readonly user: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
}

const FIELD = /\s*(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/y

/** Returns the fields of one line of CSV; undefined if a quote is not closed. */
const fieldsOf = (line: string): ReadonlyArray<string> | undefined => {
  const fields: Array<string> = []
  FIELD.lastIndex = 0
  while (FIELD.lastIndex < line.length) {
    const match = FIELD.exec(line)
    if (match === null) return undefined
    fields.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? "").trim())
  }
  return fields
}

/** Parses lines of `token,user,uid,"group1,group2"`. Upstream: apiserver/pkg/authentication/token/tokenfile. */
export const parseTokens = (file: string, text: string): Result.Result<ReadonlyArray<TokenLine>, InvalidInput> => {
  const tokens: Array<TokenLine> = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue
    const [token = "", user = "", uid = "", groups] = fieldsOf(line) ?? []
    if (token === "" || user === "" || uid === "") {
      return Result.fail(
        invalid(file, `line ${index + 1}`, 'expected token,user,uid,"group1,group2"; the groups may be left out')
      )
    }
    tokens.push({ token, user, uid, groups: groups?.split(",") ?? [] })
  }
  return Result.succeed(tokens)
}

/** The longest token file, enough for a million lines. */
const MAX_BYTES = 128 << 20

/** Reads the tokens of `--token-auth-file`; none if the name is empty. */
export const readTokens = (file: string): Effect.Effect<ReadonlyArray<TokenLine>, InvalidInput> =>
  Effect.gen(function* () {
    if (file === "") return []
    const text = yield* Effect.mapError(readText(file, MAX_BYTES), ({ message }) => invalid(file, "", message))
    return yield* Effect.fromResult(parseTokens(file, text))
  })
