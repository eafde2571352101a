import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml"
import { jsonStream, type Part } from "../jsonStream.ts"
import { type YamlVersion, yamlOptions } from "./yamlOptions.ts"

/** Returns the line of an offset in a text, from 1. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/** The most nodes that a look-up visits: with aliases, a text has more paths than nodes. */
const MAX_STEPS = 100_000

/** The farthest existing object, key or list item on a path in a document. */
interface FarthestMatch {
  /** The part of the path that does not exist. */
  readonly rest: string
  /** The offset of the last key or list item that exists; undefined for the document. */
  readonly offset: number | undefined
}

type Resolve = (node: unknown) => unknown

/** A key as `formatPath` writes it in a path. */
const pathPartOf = (key: string): string => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)

/**
 * The entries of a map or list with which `rest` may continue: the text of each in a path, its offset, and its value.
 */
function* entriesOf(
  node: unknown,
  rest: string
): Generator<readonly [part: string, at: number | undefined, value: unknown]> {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (isScalar(key)) yield [pathPartOf(String(key.value)), key.range?.[0], value]
    }
  } else if (isSeq(node)) {
    const part = /^\[(\d+)\]/.exec(rest)
    const item = part === null ? undefined : (node.items[Number(part[1])] as Node | undefined)
    if (part !== null && item !== undefined) yield [part[0], item.range?.[0], item]
  }
}

/**
 * Follows a path as far as it exists. Keys can contain dots, so that a path can be ambiguous: the longest match wins.
 */
const followPath = (root: unknown, path: string, resolve: Resolve): FarthestMatch => {
  let steps = 0
  const visit = (node: unknown, rest: string, offset: number | undefined): FarthestMatch => {
    let best: FarthestMatch = { rest, offset }
    for (const [part, at, value] of entriesOf(resolve(node), rest)) {
      if (++steps > MAX_STEPS) break
      const next = rest.slice(part.length)
      if (!rest.startsWith(part) || !/^$|^[.[]/.test(next)) continue
      const reached = visit(value, next, at)
      // JSON uses the last of equal keys.
      if (reached.rest.length <= best.rest.length) best = reached
    }
    return best
  }
  return visit(root, path === "" || path.startsWith("[") ? path : `.${path}`, undefined)
}

/** Returns the line of a path in a document of a file. */
type LineOfPath = (path: string) => number | undefined

const documentsOf = (text: string, version: YamlVersion, firstLine: number): ReadonlyArray<LineOfPath> => {
  const lineCounter = new LineCounter()
  // JSON may repeat a key. The reader of the text has already reported other errors.
  const parsed = parseAllDocuments(text, {
    ...yamlOptions(version),
    lineCounter,
    prettyErrors: false,
    uniqueKeys: false
  })
  const documents = Array.isArray(parsed) ? parsed : []
  const lineOf = (offset: number | undefined) =>
    offset === undefined ? undefined : lineCounter.linePos(offset).line + firstLine - 1
  return documents
    .filter(({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null))
    .map((document) => (path) => {
      if (path === "") return lineOf(document.contents?.range?.[0])
      const { offset } = followPath(document.contents, path, (node) => (isAlias(node) ? node.resolve(document) : node))
      return lineOf(offset)
    })
}

const yamlDocuments = (text: string, version: YamlVersion) => {
  const documents = documentsOf(text, version, 1)
  return (index: number): LineOfPath | undefined => documents[index]
}

/** Parses each of several JSON documents when a line in it is needed. */
const jsonDocuments = (text: string, parts: ReadonlyArray<Part>) => {
  const parsed = new Map<number, LineOfPath | undefined>()
  let line = 1
  let countedTo = 0
  const firstLines = parts.map(({ from }) => {
    line += lineAt(text.slice(countedTo, from), from - countedTo) - 1
    countedTo = from
    return line
  })
  return (index: number): LineOfPath | undefined => {
    const part = parts[index]
    if (part === undefined) return undefined
    if (!parsed.has(index)) {
      parsed.set(index, documentsOf(text.slice(part.from, part.to), "1.2", firstLines[index] ?? 1)[0])
    }
    return parsed.get(index)
  }
}

/**
 * Returns a function from the path of a `Problem` to a line of the text: of the field, or of the innermost existing
 * object that should have it; undefined without such an object. Paths are `spec.events[2].fault`, or `document
 * 2.spec.seed` in one of several documents. This parses the text again, so call it only when there is a problem.
 */
export const findLines = (text: string, version: YamlVersion = "1.2"): LineOfPath => {
  const parts = jsonStream(text)
  const documentOf = parts.length > 1 ? jsonDocuments(text, parts) : yamlDocuments(text, version)
  return (path) => {
    const [prefix, number] = /^document (\d+)(?:\.|$)/.exec(path) ?? ["", "1"]
    return documentOf(Number(number) - 1)?.(path.slice(prefix.length))
  }
}
