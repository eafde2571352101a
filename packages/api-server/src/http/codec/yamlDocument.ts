import { maxDepth } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, visit, type YAMLError } from "yaml"
import { wellFormed } from "./yamlScalars.ts"

/**
 * The value of a text as sigs.k8s.io/yaml converts it to JSON: YAML 1.1 (`yes` is true, 0777 is octal), but without
 * sexagesimal numbers and timestamps; the last of duplicate keys is used, and strict readers get errors for them.
 */
export interface YamlRead {
  readonly value: unknown
  /** One error for all duplicate keys, `yaml: unmarshal errors:…`; otherwise empty. */
  readonly strictErrors: ReadonlyArray<string>
}

/** The library's limit of alias expansion: its default. */
const MAX_ALIASES = 100

/** Returns goyaml's message for an error of the library; its most common message if there is no equivalent. */
const goyamlMessage = (error: YAMLError, text: string): string => {
  const [start] = error.pos
  const atEnd = text.slice(start).trim() === ""
  switch (error.code) {
    case "TAB_AS_INDENT":
      return "found character that cannot start any token"
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return "mapping values are not allowed in this context"
    case "BAD_DQ_ESCAPE":
      return "found unknown escape character"
    case "BAD_ALIAS":
    case "UNEXPECTED_TOKEN":
      return "did not find expected node content"
    case "MISSING_CHAR":
      if (/[[{,:]\s*$/.test(text.slice(0, start)) && atEnd) return "did not find expected node content"
      if (/quote/.test(error.message)) return "found unexpected end of stream"
      return error.message.includes("sequence")
        ? "did not find expected ',' or ']'"
        : "did not find expected ',' or '}'"
    case "BAD_INDENT":
      return /[[{,:]\s*$/.test(text) ? "did not find expected node content" : "did not find expected key"
    default:
      return "did not find expected key"
  }
}

/** goyaml counts lines from zero, and the end of the text as a line of its own. */
const lineOf = (error: YAMLError, text: string): number => {
  const before = text.slice(0, error.pos[0])
  const line = before.split("\n").length - 1
  const atEnd = text.slice(error.pos[0]).trim() === ""
  return atEnd && !text.endsWith("\n") ? line + 1 : line
}

const syntaxError = (error: YAMLError, text: string): string => {
  const line = lineOf(error, text)
  return `yaml: ${line === 0 ? "" : `line ${line}: `}${goyamlMessage(error, text)}`
}

const duplicateKeyErrors = (document: Document, lines: LineCounter): ReadonlyArray<string> => {
  const found: Array<string> = []
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key
        if (seen.has(name) && isScalar(key)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0)
          found.push(`  line ${line}: key ${JSON.stringify(String(name))} already set in map`)
        }
        seen.add(name)
      }
    }
  })
  return found.length === 0 ? [] : [`yaml: unmarshal errors:\n${found.join("\n")}`]
}

const isTooDeep = (document: Document): boolean => {
  let tooDeep = false
  visit(document, {
    Node: (_, __, path) => {
      if (path.length <= maxDepth * 2) return undefined
      tooDeep = true
      return visit.BREAK
    }
  })
  return tooDeep
}

const read = (text: string): Result.Result<YamlRead, string> => {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version: "1.1",
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "silent",
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === "string" ||
          (tag.format !== "TIME" && !/:(timestamp|binary|omap|pairs|set)$/.test(tag.tag ?? ""))
      )
  })
  const [document] = Array.isArray(documents) ? documents : []
  if (document === undefined) return Result.succeed({ value: null, strictErrors: [] })
  const [error] = document.errors
  if (error !== undefined) return Result.fail(syntaxError(error, text))
  if (documents.length > 1) return Result.fail("yaml: expected a single document")
  if (isTooDeep(document)) return Result.fail("yaml: exceeded max depth")
  const strictErrors = isMap(document.contents) || document.contents !== null ? duplicateKeyErrors(document, lines) : []
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string") scalar.value = wellFormed(scalar.value)
    }
  })
  const value = document.toJS({ maxAliasCount: MAX_ALIASES })
  if (nestsDeeper(value, maxDepth)) return Result.fail("yaml: exceeded max depth")
  return Result.succeed({ value, strictErrors })
}

/** Whether a value nests deeper than `depth`. One with an alias of itself nests infinitely. */
const nestsDeeper = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return depth === 0 || Object.values(value).some((member) => nestsDeeper(member, depth - 1))
}

/**
 * Reads a text that `readYaml` rejects: this library can reproduce goyaml's errors better, and accepts what goyaml
 * accepts beyond the specification (a bracket that closes at the margin). It takes ten times as long, so it is used
 * only for small texts.
 */
export const readYamlDocument = (text: string): Result.Result<YamlRead, string> => {
  try {
    return read(text)
  } catch (error) {
    // The library throws for excessive aliases and unknown anchors, and extreme nesting exhausts the stack.
    if (error instanceof ReferenceError) {
      const lost = /^Unresolved alias .*: (.*)$/.exec(error.message)?.[1]
      return Result.fail(
        lost === undefined ? "yaml: document contains excessive aliasing" : `yaml: unknown anchor '${lost}' referenced`
      )
    }
    return Result.fail(error instanceof RangeError ? "yaml: exceeded max depth" : "yaml: invalid document")
  }
}
