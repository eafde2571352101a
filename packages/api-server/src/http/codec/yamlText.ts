import { goMaxDepth, maxDepth, nestsDeeper } from "@rollcall/api/wire"
import { runAllSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { parseEvents, YAMLException } from "js-yaml"
import { readYamlDocument, type YamlRead } from "./yamlDocument.ts"
import { prologueFault } from "./yamlPrologue.ts"
import { YamlFault } from "./yamlScalars.ts"
import { type DuplicateKey, YamlBuilder } from "./yamlValue.ts"

/**
 * The maximum length of a text that is read a second time, by `readYamlDocument`, for a better error message: that is
 * slow and has no steps, so a larger text would block other requests.
 */
const MAX_LENGTH_READ_AGAIN = 64 * 1024

/** goyaml's messages for characters at which a text cannot go on. */
const messageByCharacter: Readonly<Record<string, string>> = {
  ":": "mapping values are not allowed in this context",
  "]": "did not find expected node content",
  "}": "did not find expected node content",
  ",": "did not find expected node content",
  "@": "found character that cannot start any token",
  "`": "found character that cannot start any token",
  "\t": "found character that cannot start any token"
}

/** Returns goyaml's message for an error of the library at a character. */
const goyamlMessage = (reason: string, found: string): string => {
  if (reason.endsWith("quoted scalar")) return "found unexpected end of stream"
  if (reason.includes("flow collection")) return "did not find expected ',' or ']'"
  return messageByCharacter[found] ?? "did not find expected key"
}

/** Returns the number of line ends from `from` to `end`. */
const linesBefore = (text: string, end: number, from = 0): number => {
  let lines = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** Returns goyaml's error: it counts lines from zero, and does not name line zero. */
const syntaxError = ({ mark, reason = "" }: YAMLException, text: string): string => {
  const at = mark?.position ?? text.length
  const line = linesBefore(text, at)
  return `yaml: ${line === 0 ? "" : `line ${line}: `}${goyamlMessage(reason, text.charAt(at))}`
}

/** Returns goyaml's single error for all duplicate keys, in the order of the text. Their lines count from one. */
const duplicateKeyErrors = (duplicateKeys: ReadonlyArray<DuplicateKey>, text: string): ReadonlyArray<string> => {
  if (duplicateKeys.length === 0) return []
  let line = 1
  let from = 0
  const found = duplicateKeys
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ key, offset }) => {
      line += linesBefore(text, offset, from)
      from = offset
      return `  line ${line}: key ${JSON.stringify(key)} already set in map`
    })
  return [`yaml: unmarshal errors:\n${found.join("\n")}`]
}

const readInSteps = function* (text: string): Steps<Result.Result<YamlRead, string>> {
  const events = parseEvents(text, { filename: "", maxDepth })
  yield
  const builder = new YamlBuilder(text)
  const value = yield* builder.buildInSteps(events)
  return Result.succeed({ value, strictErrors: duplicateKeyErrors(builder.duplicateKeys, text) })
}

/** A line that begins a document, or ends one. */
const DOCUMENT_MARK = /^(?:---|\.\.\.)(?![^\s])/gm
const PREAMBLE = /^(?:\s*(?:#.*)?\n|%.*\n)*$/

/** Returns the text up to the end of its first document: goyaml reads no further. */
const firstDocument = (text: string): string => {
  for (const { 0: mark, index } of text.matchAll(DOCUMENT_MARK)) {
    if (mark === "..." || !PREAMBLE.test(text.slice(0, index))) return text.slice(0, index)
  }
  return text
}

/** What a scan for the end of a flow collection stops at. */
const FLOW_PART = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'|(?<=\s)#.*|[[\]{}]/g

/** Returns the text up to the end of its root, if that is a flow collection: goyaml reads no further. */
const rootFlow = (text: string): string => {
  const start = /^(?:\s|#[^\n]*\n)*/.exec(text)?.[0].length ?? 0
  if (text[start] !== "{" && text[start] !== "[") return text
  let depth = 0
  for (const { 0: part, index } of text.matchAll(FLOW_PART)) {
    if (index < start) continue
    if (part === "{" || part === "[") depth++
    else if (part === "}" || part === "]") depth--
    // A flow collection may be the key of a mapping.
    if (depth === 0) return /^[ \t]*:/.test(text.slice(index + 1, index + 100)) ? text : text.slice(0, index + 1)
  }
  return text
}

/** Characters that goyaml's reader refuses. */
const NOT_ALLOWED = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Reads the first YAML document of a text; fails with goyaml's message, where there is an equivalent. */
export const readYamlInSteps = function* (stream: string): Steps<Result.Result<YamlRead, string>> {
  if (NOT_ALLOWED.test(stream)) return Result.fail("yaml: control characters are not allowed")
  const fault = prologueFault(stream)
  if (fault !== undefined) return Result.fail(fault)
  const text = firstDocument(stream)
  try {
    return yield* readInSteps(text)
  } catch (error) {
    const root = error instanceof YAMLException ? rootFlow(text) : text
    if (root.length < text.length) return yield* readYamlInSteps(root)
    if (error instanceof YamlFault) return Result.fail(error.shown)
    if (!(error instanceof YAMLException)) throw error
    if (error.reason?.startsWith("nesting exceeded") === true)
      return Result.fail(`yaml: exceeded max depth of ${nestsDeeper(text, goMaxDepth) ? goMaxDepth : maxDepth}`)
    return text.length > MAX_LENGTH_READ_AGAIN ? Result.fail(syntaxError(error, text)) : readYamlDocument(text)
  }
}

/** Does the work of `readYamlInSteps` in one piece, without pauses. */
export const readYaml = (text: string): Result.Result<YamlRead, string> => runAllSteps(readYamlInSteps(text))
