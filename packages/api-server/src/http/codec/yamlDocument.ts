import { maxDepth } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
  type YAMLError
} from "yaml"
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

/** An error of goyaml: of its scanner or its parser, at an offset. */
interface Fault {
  readonly by: "scanner" | "parser"
  readonly message: string
  readonly at: number
}

const NO_VALUE = "mapping values are not allowed in this context"
const NO_KEY = "did not find expected key"
const NO_CONTENT = "did not find expected node content"

const scanner = (message: string, at: number): Fault => ({ by: "scanner", message, at })
const parser = (message: string, at: number): Fault => ({ by: "parser", message, at })

/** Returns the offset of the colon that follows a key, from this offset on. */
const colonAfter = (text: string, start: number): number => {
  const found = text.slice(start).search(/:(?=\s|$)/)
  return found < 0 ? start : start + found
}

/** Returns goyaml's error for a key or a value that is not allowed where it is. */
const misplaced = (text: string, start: number): Fault => {
  const rest = text.slice(start)
  if (/^["']/.test(rest) || /^-\s/.test(rest)) return parser(NO_KEY, start)
  return /^\?\s/.test(rest)
    ? scanner("mapping keys are not allowed in this context", start)
    : scanner(NO_VALUE, colonAfter(text, start))
}

/** Returns goyaml's error for a token after the end of a value. */
const unexpected = ({ message, pos: [start] }: YAMLError, text: string): Fault => {
  if (message.startsWith("Block scalar header")) return scanner("did not find expected comment or line break", start)
  if (message.includes("block-seq-ind")) return scanner("block sequence entries are not allowed in this context", start)
  if (!message.endsWith("at node end")) return parser(NO_CONTENT, start)
  const lineStart = text.lastIndexOf("\n", start - 1) + 1
  if (text.slice(lineStart, start).trim() !== "") return parser(NO_KEY, start)
  if (/^[[{]/.test(text.slice(start))) {
    return parser(/^-\s/m.test(text) && !/^\w/m.test(text) ? "did not find expected '-' indicator" : NO_KEY, start)
  }
  const lineEnd = text.indexOf("\n", start)
  const line = text.slice(start, lineEnd < 0 ? undefined : lineEnd)
  if (/:(?:\s|$)/.test(line)) return parser("did not find expected '-' indicator", start)
  return scanner("could not find expected ':'", lineEnd < 0 ? text.length : lineEnd + 1)
}

const tab = (text: string, start: number): Fault => {
  const isValue = /[^:\s]\s*\n\s*$/.test(text.slice(0, start))
  return scanner(
    isValue ? "found a tab character that violates indentation" : "found character that cannot start any token",
    start
  )
}

/** Returns goyaml's error for an error of the library; its most common one if there is no equivalent. */
const faultOf = (error: YAMLError, text: string): Fault => {
  const { code, message, pos } = error
  const [start] = pos
  const flow = /^Flow (sequence|map)/.exec(message)?.[1]
  if (flow !== undefined) {
    const isOpen = /[[{,:]\s*$/.test(text.slice(0, start)) && text.slice(start).trim() === ""
    return parser(isOpen ? NO_CONTENT : `did not find expected ',' or '${flow === "map" ? "}" : "]"}'`, start)
  }
  switch (code) {
    case "TAB_AS_INDENT":
      return tab(text, start)
    case "BLOCK_AS_IMPLICIT_KEY":
      return message.startsWith("A block sequence") ? parser(NO_KEY, start) : misplaced(text, start)
    case "MULTILINE_IMPLICIT_KEY":
      return misplaced(text, start)
    case "BAD_DQ_ESCAPE":
      return scanner(
        /^\\[xuU]/.test(text.slice(start))
          ? "did not find expected hexdecimal number"
          : "found unknown escape character",
        start
      )
    case "BAD_SCALAR_START":
      return /^[,\]}]/.test(text.slice(start))
        ? parser(NO_CONTENT, start)
        : scanner("found character that cannot start any token", start)
    case "BAD_ALIAS":
      return /^[&*](?:\s|$)/.test(text.slice(start))
        ? scanner("did not find expected alphabetic or numeric character", start)
        : parser(NO_CONTENT, start)
    case "UNEXPECTED_TOKEN":
      return unexpected(error, text)
    case "MISSING_CHAR":
      return message.includes("quote")
        ? scanner("found unexpected end of stream", text.length)
        : scanner("could not find expected ':'", text.length)
    default:
      return parser(NO_KEY, start)
  }
}

/** Returns goyaml's error: it counts lines from zero, except in its scanner, and the end of the text as a line of its own. */
const syntaxError = (error: YAMLError, text: string): string => {
  const { at, by, message } = faultOf(error, text)
  const atEnd = text.slice(at).trim() === "" && !text.endsWith("\n")
  const line = text.slice(0, at).split("\n").length - 1 + (atEnd ? 1 : 0)
  const shown = line === 0 ? 0 : by === "scanner" ? line + 1 : line
  // An open quote on the only line of a text has no line.
  const isOpenQuote = message === "found unexpected end of stream" && !text.trim().includes("\n")
  return `yaml: ${shown === 0 || (isOpenQuote && atEnd) ? "" : `line ${shown}: `}${message}`
}

/** What goyaml's scanner accepts as the one token that it reads after a document. */
const TOKEN = /^\s*(?:[[\]{},]|\w|"[^"\n]*")/

/** Returns whether an error is after a document in braces, brackets or quotes: goyaml's parser reads no further. */
const isUnread = ({ contents }: Document, error: YAMLError, text: string): boolean => {
  const isQuoted = isScalar(contents) && (contents.type === "QUOTE_DOUBLE" || contents.type === "QUOTE_SINGLE")
  if (!isQuoted && (!isCollection(contents) || contents.flow !== true)) return false
  const end = contents.range?.[1] ?? text.length
  const rest = text.slice(end)
  return error.pos[0] >= end && TOKEN.test(rest) && !/:(?:\s|$)/.test(rest)
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

const TOO_DEEP = `yaml: exceeded max depth of ${maxDepth}`

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
  if (error !== undefined && !isUnread(document, error, text)) return Result.fail(syntaxError(error, text))
  if (isTooDeep(document)) return Result.fail(TOO_DEEP)
  const strictErrors = isMap(document.contents) || document.contents !== null ? duplicateKeyErrors(document, lines) : []
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string") scalar.value = wellFormed(scalar.value)
    }
  })
  const value = document.toJS({ maxAliasCount: MAX_ALIASES })
  if (nestsDeeper(value, maxDepth)) return Result.fail(TOO_DEEP)
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
    return Result.fail(error instanceof RangeError ? TOO_DEEP : "yaml: invalid document")
  }
}
