import { maxDepth } from "@rollcall/api/wire"
import { runAllSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { SyntaxFault } from "./Cursor.ts"
import { EventParser } from "./EventParser.ts"
import { YamlFault } from "./scalars.ts"
import { utf8Fault } from "./utf8Fault.ts"
import { type DuplicateKey, YamlBuilder } from "./YamlBuilder.ts"

/**
 * The value of a text as sigs.k8s.io/yaml converts it to JSON: YAML 1.1 (`yes` is true, 0777 is octal), but without
 * sexagesimal numbers and timestamps; the last of duplicate keys is used, and strict readers get errors for them.
 */
export interface YamlRead {
  readonly value: unknown
  /** One error for all duplicate keys, `yaml: unmarshal errors:…`; otherwise empty. */
  readonly strictErrors: ReadonlyArray<string>
}

/** Returns goyaml's single error for all duplicate keys, in the order in which it decodes. Their lines count from one. */
const duplicateKeyErrors = (duplicateKeys: ReadonlyArray<DuplicateKey>): ReadonlyArray<string> => {
  if (duplicateKeys.length === 0) return []
  const found = duplicateKeys.map(({ key, line }) => `  line ${line + 1}: key ${key} already set in map`)
  return [`yaml: unmarshal errors:\n${found.join("\n")}`]
}

/** Characters that goyaml's reader refuses. */
const NOT_ALLOWED = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** The mark at the begin of a text that says how it is encoded. */
const BYTE_ORDER_MARK = "\ufeff"

/** How many events are read between two pauses. */
const EVENTS_PER_STEP = 1000

/**
 * Returns the fault of a document that nests too deeply to be built here. goyaml parses a document before it builds it: a
 * fault of the rest of its text counts, such as that it nests too deeply for goyaml too.
 */
const depthFault = function* (parser: EventParser): Steps<string> {
  try {
    let count = 0
    while (parser.next().type !== "streamEnd") if (++count % EVENTS_PER_STEP === 0) yield
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message
    throw error
  }
  return `yaml: exceeded max depth of ${maxDepth}`
}

/**
 * Reads the first YAML document of a text, and no further; fails with goyaml's message. `bytes` are those that the text was
 * decoded from.
 */
export const readYamlInSteps = function* (text: string, bytes?: Uint8Array): Steps<Result.Result<YamlRead, string>> {
  const fault = bytes === undefined ? undefined : utf8Fault(bytes)
  if (fault !== undefined) return Result.fail(fault)
  if (NOT_ALLOWED.test(text)) return Result.fail("yaml: control characters are not allowed")
  const builder = new YamlBuilder()
  const parser = new EventParser(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  try {
    const value = yield* builder.buildInSteps(parser)
    return Result.succeed({ value, strictErrors: duplicateKeyErrors(builder.duplicateKeys) })
  } catch (error) {
    if (error instanceof SyntaxFault) return Result.fail(error.message)
    if (!(error instanceof YamlFault)) throw error
    return Result.fail(error.message.startsWith("exceeded max depth") ? yield* depthFault(parser) : error.shown)
  }
}

/** Does the work of `readYamlInSteps` in one piece, without pauses. */
export const readYaml = (text: string): Result.Result<YamlRead, string> => runAllSteps(readYamlInSteps(text))
