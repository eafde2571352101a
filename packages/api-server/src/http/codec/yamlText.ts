import { maxDepth } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { EVENT_ID, parseEvents, YAMLException } from "js-yaml"
import { runAllSteps, type Steps } from "../../core/turns/Steps.ts"
import { readYamlDocument, type YamlRead } from "./yamlDocument.ts"
import { type DoubledKey, YamlBuilder, YamlFault } from "./yamlValue.ts"

/** Larger texts are not read again for better error messages: that would block other requests. */
const maxReadAgain = 64 * 1024

/** goyaml's errors for misplaced characters. */
const misplaced: Readonly<Record<string, string>> = {
  ":": "mapping values are not allowed in this context",
  "]": "did not find expected node content",
  "}": "did not find expected node content",
  ",": "did not find expected node content",
  "@": "found character that cannot start any token",
  "`": "found character that cannot start any token",
  "\t": "found character that cannot start any token"
}

const complaint = (reason: string, found: string): string => {
  if (reason.endsWith("quoted scalar")) return "found unexpected end of stream"
  if (reason.includes("flow collection")) return "did not find expected ',' or ']'"
  return misplaced[found] ?? "did not find expected key"
}

const linesBefore = (text: string, end: number, from = 0): number => {
  let lines = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** goyaml counts lines from zero. */
const syntaxError = ({ mark, reason = "" }: YAMLException, text: string): string => {
  const at = mark?.position ?? text.length
  const line = linesBefore(text, at)
  return `yaml: ${line === 0 ? "" : `line ${line}: `}${complaint(reason, text.charAt(at))}`
}

const doubledKeys = (doubled: ReadonlyArray<DoubledKey>, text: string): ReadonlyArray<string> => {
  if (doubled.length === 0) return []
  let line = 1
  let from = 0
  const found = doubled
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ key, offset }) => {
      line += linesBefore(text, offset, from)
      from = offset
      return `  line ${line}: key ${JSON.stringify(key)} already set in map`
    })
  return [`yaml: unmarshal errors:\n${found.join("\n")}`]
}

const read = function* (text: string): Steps<Result.Result<YamlRead, string>> {
  const events = parseEvents(text, { filename: "", maxDepth })
  yield
  const documents = events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length
  if (documents > 1) return Result.fail("yaml: expected a single document")
  const builder = new YamlBuilder(text)
  const value = yield* builder.building(events)
  return Result.succeed({ value, strictErrors: doubledKeys(builder.doubled, text) })
}

/** Reads one YAML document; fails with goyaml's message, where there is an equivalent. */
export const readYamlInSteps = function* (text: string): Steps<Result.Result<YamlRead, string>> {
  try {
    return yield* read(text)
  } catch (error) {
    if (error instanceof YamlFault) return Result.fail(`yaml: ${error.message}`)
    if (!(error instanceof YAMLException)) throw error
    if (error.reason?.startsWith("nesting exceeded") === true) return Result.fail("yaml: exceeded max depth")
    return text.length > maxReadAgain ? Result.fail(syntaxError(error, text)) : readYamlDocument(text)
  }
}

/** Does the work of `readYamlInSteps` in one piece, without pauses. */
export const readYaml = (text: string): Result.Result<YamlRead, string> => runAllSteps(readYamlInSteps(text))
