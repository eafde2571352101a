import { escapeHtml, goQuote } from "@rollcall/api"
import { parseExactly } from "@rollcall/api/json"
import { isFields, withSortedKeys } from "@rollcall/api/values"
import { parseJson } from "@rollcall/api/wire"
import * as Result from "effect/Result"

/**
 * One element of a path in an object, as a key of fieldsV1. `f:name` is a field, `k:{"type":"Ready"}` an element of a
 * list with keys, `v:"x"` a value of a set, `i:3` the element of a list at that index. Upstream: sigs.k8s.io/structured-merge-diff, fieldpath/serialize-pe.go.
 */
export type PathElement = string

/** The elements of a path, from the root of the object. */
export type Path = ReadonlyArray<PathElement>

/** Returns the rank of an element's kind in fieldsV1: the mark ".", then fields, keys, values and indexes. */
const rank = (element: PathElement): number => (element === "." ? 0 : 1 + "fkvi".indexOf(element[0] ?? ""))

/** Compares two elements for the order of fieldsV1; returns a negative number if the left one comes first. */
export const compareElements = (left: PathElement, right: PathElement): number => {
  if (left === right) return 0
  const ranks = rank(left) - rank(right)
  if (ranks !== 0) return ranks
  if (left.startsWith("f:")) return left < right ? -1 : 1
  return compareValues(contentOf(left), contentOf(right))
}

/** The parsed contents of keys and values: the same few, such as `{"type":"Ready"}`, are compared again and again. */
const contentCache = new Map<PathElement, unknown>()
const MAX_CACHED_CONTENTS = 4096

const contentOf = (element: PathElement): unknown => {
  const known = contentCache.get(element)
  if (known !== undefined) return known
  const content = parseExactly(element.slice(2))
  if (contentCache.size >= MAX_CACHED_CONTENTS) contentCache.clear()
  contentCache.set(element, content)
  return content
}

/** The number of elements up to which sorting uses the cache of contents; of more, each is parsed once for the sort. */
const FEW_ELEMENTS = 64

/** Returns path elements in the order of fieldsV1; the same list if they are, as is usual. */
export const inElementOrder = (elements: ReadonlyArray<PathElement>): ReadonlyArray<PathElement> => {
  if (elements.length > FEW_ELEMENTS) return manyInElementOrder(elements)
  for (let index = 1; index < elements.length; index++) {
    if (compareElements(elements[index - 1] as PathElement, elements[index] as PathElement) > 0) {
      return elements.toSorted(compareElements)
    }
  }
  return elements
}

interface ParsedElement {
  readonly element: PathElement
  readonly rank: number
  readonly content: unknown
}

const compareParsed = (left: ParsedElement, right: ParsedElement): number =>
  left.rank - right.rank || compareValues(left.content, right.content)

const isField = (element: PathElement): boolean => element.startsWith("f:")

/** Does the work of `inElementOrder` for many elements: parses each once, not once for each comparison. */
const manyInElementOrder = (elements: ReadonlyArray<PathElement>): ReadonlyArray<PathElement> => {
  if (elements.every(isField)) {
    return elements.every((element, index) => index === 0 || (elements[index - 1] as PathElement) < element)
      ? elements
      : elements.toSorted()
  }
  const parsedElements = elements.map(
    (element): ParsedElement => ({
      element,
      rank: rank(element),
      content: element === "." || element.startsWith("f:") ? element : parseExactly(element.slice(2))
    })
  )
  const ordered = parsedElements.every(
    (each, index) => index === 0 || compareParsed(parsedElements[index - 1] as ParsedElement, each) <= 0
  )
  return ordered ? elements : parsedElements.sort(compareParsed).map(({ element }) => element)
}

/** Returns the rank of a JSON value's type in the order of fieldsV1. */
const typeRank = (value: unknown): number => {
  if (typeof value === "number" || typeof value === "bigint") return 0
  if (typeof value === "string") return 1
  return typeof value === "boolean" ? 2 : 3
}

const compareValues = (left: unknown, right: unknown): number => {
  if (isFields(left) && isFields(right)) return compareKeys(Object.entries(left), Object.entries(right))
  const ranks = typeRank(left) - typeRank(right)
  if (ranks !== 0) return ranks
  if (left === right) return 0
  return (left as string | number) < (right as string | number) ? -1 : 1
}

type Entries = ReadonlyArray<readonly [string, unknown]>

const compareKeys = (left: Entries, right: Entries): number => {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [leftName, leftValue] = left[index] as Entries[number]
    const [rightName, rightValue] = right[index] as Entries[number]
    if (leftName !== rightName) return leftName < rightName ? -1 : 1
    const values = compareValues(leftValue, rightValue)
    if (values !== 0) return values
  }
  return left.length - right.length
}

/** Characters of a JSON text that Go escapes, or escapes in another way. */
const ESCAPED_BY_GO = /[<>&\u2028\u2029]|\\[bf]/

/** Returns the text of a value in an element. Upstream: json-iterator, Stream.WriteStringWithHTMLEscaped. */
export const elementText = (value: unknown): string => {
  const text = JSON.stringify(value)
  return ESCAPED_BY_GO.test(text) ? escapeHtml(text.replace(/\\./g, goEscape)) : text
}

const goEscape = (given: string): string => (given === "\\b" ? "\\u0008" : given === "\\f" ? "\\u000c" : given)

/** What an element has that may be written in another way: escapes, blanks, several keys, fractions. */
const MAY_DIFFER = /[<>&\\\s\u2028\u2029]|":.*":|\d[.eE]|^i:0./

/** Returns the element as the server writes it: with the keys of maps sorted, and numbers as Go writes them. */
export const canonicalElement = (element: PathElement): PathElement => {
  if (element.startsWith("f:") || !MAY_DIFFER.test(element)) return element
  const [kind, content] = [element.slice(0, 2), element.slice(2)]
  return kind + (kind === "i:" ? Number(content) : elementText(withSortedKeys(parsed(content))))
}

const shownValue = (value: unknown): string => (typeof value === "string" ? goQuote(value) : JSON.stringify(value))

/** Formats an element as messages do: `.status.conditions[type="Ready"].status`. */
export const printElement = (element: PathElement): string => {
  const text = element.slice(2)
  switch (element[0]) {
    case "f":
      return `.${text}`
    case "k": {
      const fields = Object.entries(parseExactly(text) as object)
      return `[${fields.map(([name, value]) => `${name}=${shownValue(value)}`).join(",")}]`
    }
    case "v":
      return `[=${shownValue(parseExactly(text))}]`
    default:
      return `[${text}]`
  }
}

/** Formats a path as messages do. */
export const printPath = (path: Path): string => path.map(printElement).join("")

/** Whether a key of fieldsV1 is of a type that a later version may know; it is left out with what is below. */
export const isOfUnknownType = (text: string): boolean => text[1] === ":" && !"fkvi".includes(text.slice(0, 1))

/** Whether a key of fieldsV1 sent by a client is valid. */
export const isElement = (text: string): boolean => {
  const content = text.slice(2)
  switch (text.slice(0, 2)) {
    case "f:":
      return true
    case "k:":
      return isFields(parsed(content))
    case "v:":
      return parsed(content) !== undefined
    case "i:":
      return /^\d+$/.test(content)
    default:
      return false
  }
}

const parsed = (text: string): unknown => Result.getOrUndefined(parseJson(text))
