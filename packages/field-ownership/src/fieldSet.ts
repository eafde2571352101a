import { isFields } from "@rollcall/api/values"
import {
  canonicalElement,
  inElementOrder,
  isElement,
  isOfUnknownType,
  type Path,
  type PathElement
} from "./pathElement.ts"

/**
 * A set of paths in an object, in the JSON form of fieldsV1: a tree of path elements. A path is in the set if its node is
 * `{}`, or if its node has the key `"."` (the mark of a path that also has paths below it). So `{"f:spec": {".": {},
 * "f:replicas": {}}}` is the set of `.spec` and `.spec.replicas`. The root `{}` is the empty set. Because this is the JSON
 * form, nothing is parsed or encoded. Immutable: an unchanged set stays the same value.
 *
 * Upstream: sigs.k8s.io/structured-merge-diff, fieldpath/set.go.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

/** A set under construction. */
export interface FreshSet {
  [element: PathElement]: FreshSet
}

const leaf: FieldSet = {}
export const emptySet: FieldSet = leaf

/**
 * Whether the set has no paths, or the node no paths below it. Most nodes are the shared leaf, or marked, so both are
 * checked first; `Object.keys` would list all keys.
 */
export const isEmpty = (set: FieldSet): boolean => {
  if (set === leaf) return true
  if (set["."] !== undefined) return false
  for (const _ in set) return false
  return true
}

/** Whether the path of this subtree is itself in the set. */
export const isMember = (node: FieldSet): boolean => node["."] !== undefined || isEmpty(node)

/** Returns the set with its elements in the order of fieldsV1; the set itself if they are, as is usual. */
export const sorted = (set: FieldSet): FieldSet => {
  const elements = Object.keys(set)
  const inOrder = inElementOrder(elements)
  let result: FreshSet | undefined = inOrder === elements ? undefined : {}
  for (let index = 0; index < inOrder.length; index++) {
    const element = inOrder[index] as PathElement
    const below = set[element] as FieldSet
    const after = sorted(below)
    if (after !== below) result ??= firstElements(set, inOrder, index)
    if (result !== undefined) result[element] = after as FreshSet
  }
  return result ?? set
}

/** Returns a copy of the node with only the first `count` of these elements. */
const firstElements = (set: FieldSet, elements: ReadonlyArray<PathElement>, count: number): FreshSet => {
  const result: FreshSet = {}
  for (let index = 0; index < count; index++) {
    const element = elements[index] as PathElement
    result[element] = set[element] as FreshSet
  }
  return result
}

/** Makes a node from its children, marked if its path is a `member` of the set; undefined if it would contain no path. */
const makeNode = (children: FreshSet, member: boolean): FieldSet | undefined => {
  if (isEmpty(children)) return member ? leaf : undefined
  return member ? { ".": leaf, ...children } : children
}

/** Returns the union of two sets; `left` itself if it contains all paths. */
export const union = (left: FieldSet, right: FieldSet): FieldSet => {
  if (left === right || isEmpty(right)) return left
  return isEmpty(left) ? right : unionBelow(left, right)
}

const unionBelow = (left: FieldSet, right: FieldSet): FieldSet => {
  let result: FreshSet | undefined
  let missing: Array<PathElement> | undefined
  for (const element in right) {
    const theirs = right[element] as FieldSet
    const ours = left[element]
    if (ours === undefined) {
      if (missing === undefined) missing = [element]
      else missing.push(element)
      continue
    }
    const both = unionNode(ours, theirs)
    if (both === ours) continue
    result ??= { ...left }
    result[element] = both
  }
  return missing === undefined ? (result ?? left) : withElements(result ?? left, right, missing)
}

/** Returns the set with these elements of another set, which the set lacks, inserted in order. */
const withElements = (set: FieldSet, other: FieldSet, elements: ReadonlyArray<PathElement>): FieldSet => {
  const result: FreshSet = {}
  for (const element of inElementOrder([...Object.keys(set), ...elements])) {
    result[element] = (set[element] ?? other[element]) as FreshSet
  }
  return result
}

const unionNode = (left: FieldSet, right: FieldSet): FieldSet => {
  if (left === right) return left
  if (isEmpty(right)) return isMember(left) ? left : ordered({ ".": leaf, ...left })
  if (isEmpty(left)) return isMember(right) ? right : ordered({ ".": leaf, ...right })
  return unionBelow(left, right)
}

/** Returns the node with its own elements in order. */
const ordered = (node: FieldSet): FieldSet => {
  const result: FreshSet = {}
  for (const element of inElementOrder(Object.keys(node))) result[element] = node[element] as FreshSet
  return result
}

/** Returns the union of all sets, visiting each set once. */
export const unionAll = (sets: ReadonlyArray<FieldSet>): FieldSet => {
  const given = [...new Set(sets)].filter((set) => !isEmpty(set))
  if (given.length <= 2) return union(given[0] ?? emptySet, given[1] ?? emptySet)
  const children = new Map<PathElement, Array<FieldSet>>()
  for (const set of given) {
    for (const element in set) {
      const found = children.get(element)
      if (found === undefined) children.set(element, [set[element] as FieldSet])
      else found.push(set[element] as FieldSet)
    }
  }
  const result: FreshSet = {}
  for (const element of inElementOrder([...children.keys()])) {
    result[element] = unionNodes(children.get(element) ?? []) as FreshSet
  }
  return result
}

const unionNodes = (nodes: ReadonlyArray<FieldSet>): FieldSet => {
  const below = unionAll(nodes)
  return isEmpty(below) || isMember(below) || !nodes.some(isEmpty) ? below : { ".": leaf, ...below }
}

/** Combines two nodes at the same path; undefined means that nothing is left. */
type Combine = (left: FieldSet, right: FieldSet) => FieldSet | undefined

/** What becomes of the elements that only the left set has. */
type Others = "keep" | "drop"

/**
 * Combines the children of two nodes: elements that both have by `combine`, `others` of `left` as given. Returns `left`
 * itself if everything is kept, and undefined if nothing is left; a new node is marked if it is a `member`.
 */
const combineChildren = (
  left: FieldSet,
  right: FieldSet,
  member: boolean,
  others: Others,
  combine: Combine
): FieldSet | undefined => {
  // Built by copying, never by deleting: in V8 an object with deleted keys takes three times the memory.
  let result: FreshSet | undefined
  let count = 0
  for (const element in left) {
    if (element === ".") continue
    const ours = left[element] as FieldSet
    const theirs = right[element]
    const kept = theirs === undefined ? (others === "keep" ? ours : undefined) : combine(ours, theirs)
    if (kept !== ours) result ??= childrenBefore(left, element, member)
    if (kept === undefined) continue
    count++
    if (result !== undefined) result[element] = kept
  }
  if (result === undefined) return left
  return count === 0 ? undefined : result
}

const combineSets = (left: FieldSet, right: FieldSet, others: Others, combine: Combine): FieldSet =>
  combineChildren(left, right, false, others, combine) ?? emptySet

/** Returns the children of a node before this element, marked if it is a member. */
const childrenBefore = (node: FieldSet, end: PathElement, member: boolean): FreshSet => {
  const result: FreshSet = member ? { ".": leaf } : {}
  for (const element in node) {
    if (element === end) break
    if (element !== ".") result[element] = node[element] as FreshSet
  }
  return result
}

/** Returns the children of a node. */
const withoutMark = (node: FieldSet): FreshSet => {
  const { ".": _, ...rest } = node
  return rest
}

const combineNodes = (
  left: FieldSet,
  right: FieldSet,
  member: boolean,
  others: Others,
  combine: Combine
): FieldSet | undefined => {
  const below = combineChildren(left, right, member, others, combine)
  if (below !== left) return below ?? (member ? leaf : undefined)
  return member === isMember(left) ? left : makeNode(withoutMark(left), member)
}

const differenceNode: Combine = (left, right) =>
  combineNodes(left, right, isMember(left) && !isMember(right), "keep", differenceNode)

/** Returns the paths of `left` that are not in `right`; children of a path in `right` stay. */
export const difference = (left: FieldSet, right: FieldSet): FieldSet =>
  combineSets(left, right, "keep", differenceNode)

const intersectionNode: Combine = (left, right) =>
  combineNodes(left, right, isMember(left) && isMember(right), "drop", intersectionNode)

/** Returns the paths that are in both. */
export const intersection = (left: FieldSet, right: FieldSet): FieldSet =>
  combineSets(left, right, "drop", intersectionNode)

const recursiveDifferenceNode: Combine = (left, right) =>
  isMember(right) ? undefined : combineNodes(left, right, isMember(left), "keep", recursiveDifferenceNode)

/** Returns the paths of `left` that are neither in `right` nor below a path of `right`. */
export const recursiveDifference = (left: FieldSet, right: FieldSet): FieldSet =>
  combineSets(left, right, "keep", recursiveDifferenceNode)

/** Visits every path of the set in Kubernetes' order: the members of a level before what is below them. */
export const visitPaths = (set: FieldSet, visit: (path: Path) => void, above: Path = []): void => {
  for (const element in set) {
    if (element !== "." && isMember(set[element] as FieldSet)) visit([...above, element])
  }
  for (const element in set) {
    if (element !== ".") visitPaths(set[element] as FieldSet, visit, [...above, element])
  }
}

/** The maximum depth of a set that a client sends. */
const MAX_DEPTH = 100

/** Parses fieldsV1, without elements of unknown types. Returns undefined if it is invalid. */
export const readFieldSet = (value: unknown): FieldSet | undefined =>
  isSet(value, 0) ? sorted(isRewritten(value) ? rewritten(value) : value) : undefined

const isRewritten = (set: FieldSet): boolean =>
  Object.entries(set).some(
    ([element, below]) => isOfUnknownType(element) || canonicalElement(element) !== element || isRewritten(below)
  )

const rewritten = (set: FieldSet): FieldSet =>
  Object.fromEntries(
    Object.entries(set)
      .filter(([element]) => !isOfUnknownType(element))
      .map(([element, below]) => [canonicalElement(element), rewritten(below)])
  )

const isSet = (value: unknown, depth: number): value is FieldSet => {
  if (!isFields(value) || depth > MAX_DEPTH) return false
  for (const element of Object.keys(value)) {
    const below = value[element]
    if (isOfUnknownType(element)) continue
    if (element === "." ? !isFields(below) : !isElement(element) || !isSet(below, depth + 1)) return false
  }
  return true
}
