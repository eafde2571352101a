import { directive, setElementOrder } from "./directives.ts"
import { goText, goType } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, member } from "./Json.ts"
import { PatchError } from "./PatchError.ts"

export const noMergeKey = (map: JsonMap, mergeKey: string): PatchError =>
  new PatchError({ code: 500, message: `map: ${goText(map)} does not contain declared merge key: ${mergeKey}` })

export const wrongType = (expected: string, actual: Json): PatchError =>
  new PatchError({ code: 500, message: `expected a ${expected}, but received a ${goType(actual)}` })

const noListOfLists = () => new PatchError({ code: 422, message: "lists of lists are not supported" })

/** Returns the Go type that all elements of the lists have. Throws for mixed types, lists of lists and no elements. */
export const elementType = (...lists: ReadonlyArray<JsonList>): string => {
  let type: string | undefined
  for (const list of lists) {
    for (const element of list) {
      const current = goType(element)
      if (type === undefined && isList(element)) throw noListOfLists()
      if (type !== undefined && type !== current) {
        throw new PatchError({ code: 500, message: `list element types are not identical: ${goText([...lists])}` })
      }
      type = current
    }
  }
  if (type === undefined) throw new PatchError({ code: 500, message: "no elements in any of the given slices" })
  return type
}

/** Returns the identity of an element: its merge key, or for lists of scalars the element itself. */
export const identityOf = (element: Json, mergeKey: string | undefined): Json => {
  if (mergeKey === undefined) return element
  if (!isMap(element)) throw wrongType("map[string]interface {}", element)
  const identity = member(element, mergeKey)
  if (identity === undefined) throw noMergeKey(element, mergeKey)
  return identity
}

/** Go compares neither maps nor lists: upstream's request ends with this error of Go's runtime. */
const uncomparable = (what: string, value: Json) =>
  new PatchError({ code: 500, message: `runtime error: ${what} type ${goType(value)}` })

const isComparable = (value: Json): boolean => !isMap(value) && !isList(value)

/** Throws unless a list without a merge key can be sorted by a `$setElementOrder` list: all elements must be scalars. */
export const requireComparable = (merged: JsonList, order: JsonList): void => {
  const uncompared = [...order, ...merged].find((element) => !isComparable(element))
  if (uncompared !== undefined) throw uncomparable("hash of unhashable", uncompared)
}

/** Throws unless each element has the merge key. */
export const requireIdentities = (list: JsonList, mergeKey: string): void => {
  for (const element of list) identityOf(element, mergeKey)
}

/** Whether two elements are the same to a patch. Throws for two that Go cannot compare. */
const isSameElement = (left: Json, right: Json, mergeKey: string | undefined): boolean => {
  if (mergeKey === undefined && !isComparable(left) && goType(left) === goType(right))
    throw uncomparable("comparing uncomparable", left)
  return identityOf(left, mergeKey) === identityOf(right, mergeKey)
}

/**
 * Throws unless the patch's elements follow the `$setElementOrder` list. Like upstream, it stops at the end of that list,
 * so a directive after the last element fails, too.
 */
export const checkOrder = (patch: JsonList, order: JsonList, mergeKey: string | undefined): void => {
  if (patch.length === 0 || order.length === 0) return
  const directiveOf = (element: Json | undefined) => (isMap(element) ? member(element, directive) : undefined)
  const elements = mergeKey === undefined ? patch : patch.filter((element) => directiveOf(element) !== "delete")
  let at = 0
  let next = 0
  while (at < elements.length && next < order.length) {
    if (directiveOf(elements[at]) !== undefined) at++
    else if (isSameElement(elements[at] as Json, order[next++] as Json, mergeKey)) at++
  }
  if (at === elements.length) return
  const message = `The order in patch list:\n${goText(patch)}\n doesn't match ${setElementOrder} list:\n${goText(order)}\n`
  throw new PatchError({ code: 500, message })
}

type Positions = ReadonlyMap<Json, number>

/** Returns the first position of each identity. */
export const positionsOf = (list: JsonList, mergeKey: string | undefined): Positions => {
  const positions = new Map<Json, number>()
  list.forEach((element, index) => {
    const identity = identityOf(element, mergeKey)
    if (!positions.has(identity)) positions.set(identity, index)
  })
  return positions
}

/**
 * Returns a function that finds the first element with an identity in a list of maps, which may grow to a length meanwhile;
 * undefined if there is none.
 */
export const elementFinder = (
  list: JsonList,
  maxLength: number,
  mergeKey: string
): ((identity: Json) => number | undefined) => {
  const identityAt = (index: number) => {
    const element = list[index]
    return isMap(element) ? member(element, mergeKey) : undefined
  }
  if (maxLength <= maxPairwise) {
    return (identity) => {
      for (let index = 0; index < list.length; index++) if (identityAt(index) === identity) return index
      return undefined
    }
  }
  const positions = new Map<Json, number>()
  let indexed = 0
  return (identity) => {
    for (; indexed < list.length; indexed++) {
      const found = identityAt(indexed)
      if (found !== undefined && !positions.has(found)) positions.set(found, indexed)
    }
    return positions.get(identity)
  }
}

interface Ranked {
  readonly element: Json
  readonly rank: number
}

/** Go's sort uses insertion sort up to this number of elements. Upstream: Go's sort/zsortfunc.go, pdqsort_func. */
const maxInsertionSort = 12

/**
 * Sorts by rank where some elements have none (-1). Upstream's comparison returns "less" for any pair with such an
 * element, so the result depends on its sort: insertion sort up to 12 elements. Beyond 12, where Go specifies no result,
 * this puts those elements first.
 */
const sortWithUnknown = (ranked: Array<Ranked>): ReadonlyArray<Ranked> => {
  if (ranked.length > maxInsertionSort) {
    const known = ranked.filter(({ rank }) => rank >= 0).sort((left, right) => left.rank - right.rank)
    return [...ranked.filter(({ rank }) => rank < 0), ...known]
  }
  for (let end = 1; end < ranked.length; end++) {
    for (let at = end; at > 0; at--) {
      const [left, right] = [ranked[at - 1], ranked[at]]
      if (left === undefined || right === undefined) break
      if (left.rank >= 0 && right.rank >= 0 && right.rank >= left.rank) break
      ranked[at - 1] = right
      ranked[at] = left
    }
  }
  return ranked
}

/** Sorts elements by these positions of their identities. */
const sortBy = (list: JsonList, positions: Positions, mergeKey: string | undefined): JsonList => {
  const ranked = list.map((element) => ({ element, rank: positions.get(identityOf(element, mergeKey)) ?? -1 }))
  const sorted = ranked.every(({ rank }) => rank >= 0)
    ? ranked.sort((left, right) => left.rank - right.rank)
    : sortWithUnknown(ranked)
  return sorted.map(({ element }) => element)
}

/** Inserts each element that only the server has before the first patched element that follows it on the server. */
const interleave = (
  serverOnly: JsonList,
  patched: JsonList,
  positions: Positions,
  mergeKey: string | undefined
): JsonList => {
  const rank = (element: Json | undefined) =>
    element === undefined ? -1 : (positions.get(identityOf(element, mergeKey)) ?? -1)
  const merged: Array<Json> = []
  let next = 0
  for (const element of patched) {
    const limit = rank(element)
    while (next < serverOnly.length && limit >= 0 && rank(serverOnly[next]) >= 0 && rank(serverOnly[next]) < limit) {
      merged.push(serverOnly[next++] as Json)
    }
    merged.push(element)
  }
  return [...merged, ...serverOnly.slice(next)]
}

/** Up to this number of elements, comparing all pairs is cheaper than building a map. */
const maxPairwise = 16

/**
 * Whether the list has exactly the identities of the order, each once. This is the usual case: a kubelet reports all
 * conditions again.
 */
const isInOrder = (list: JsonList, order: JsonList, mergeKey: string | undefined): boolean => {
  if (list.length !== order.length) return false
  for (let index = 0; index < list.length; index++) {
    const identity = identityOf(order[index] as Json, mergeKey)
    if (identityOf(list[index] as Json, mergeKey) !== identity) return false
    for (let before = 0; before < index; before++) {
      if (identityOf(order[before] as Json, mergeKey) === identity) return false
    }
  }
  return true
}

/**
 * Whether the merge has left the server's elements where they were, and the patch has some of them in the same order: then no
 * element moves. Kubelets and controllers patch one or two conditions of a list so.
 */
const keepsOrder = (merged: JsonList, patchOrder: JsonList, serverOrder: JsonList, mergeKey: string): boolean => {
  if (merged.length !== serverOrder.length) return false
  const identityAt = (list: JsonList, index: number) => {
    const element = list[index]
    return isMap(element) ? member(element, mergeKey) : undefined
  }
  let patched = 0
  for (let index = 0; index < merged.length; index++) {
    const identity = identityAt(merged, index)
    if (identity === undefined || identityAt(serverOrder, index) !== identity) return false
    for (let before = 0; before < index; before++) if (identityAt(merged, before) === identity) return false
    if (patched < patchOrder.length && identityAt(patchOrder, patched) === identity) patched++
  }
  return patched === patchOrder.length
}

/**
 * Throws if the search of a merged element in the patch's order meets something that is no map. Upstream:
 * partitionMapsByPresentInList.
 */
const requireMaps = (merged: JsonList, order: JsonList, mergeKey: string): void => {
  const at = order.findIndex((element) => !isMap(element))
  if (at < 0) return
  const before = order.slice(0, at).map((element) => member(element as JsonMap, mergeKey))
  for (const element of merged) {
    if (before.includes(identityOf(element, mergeKey))) continue
    throw new PatchError({ code: 500, message: `value for key ${at} is not a map` })
  }
}

/**
 * Sorts a merged list: elements in the patch follow the patch's order, elements only on the server follow the server's
 * order, and both are interleaved by the server's order where it is known. `patchOrder` is the order in the patch,
 * `serverOrder` the list before the merge. Throws for an element without its merge key.
 *
 * Upstream: apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder and below).
 */
export const inOrder = (
  merged: JsonList,
  patchOrder: JsonList,
  serverOrder: JsonList,
  mergeKey: string | undefined
): JsonList => {
  if (mergeKey !== undefined) requireMaps(merged, patchOrder, mergeKey)
  if (merged.length <= maxPairwise && isInOrder(merged, patchOrder, mergeKey)) {
    // Throws for an element without its merge key, as the other branch does.
    for (const element of serverOrder) identityOf(element, mergeKey)
    return [...merged]
  }
  const isShort = merged.length <= maxPairwise
  if (isShort && mergeKey !== undefined && keepsOrder(merged, patchOrder, serverOrder, mergeKey)) return merged
  const byPatch = positionsOf(patchOrder, mergeKey)
  const byServer = positionsOf(serverOrder, mergeKey)
  const inPatch = merged.filter((element) => byPatch.has(identityOf(element, mergeKey)))
  const serverOnly = merged.filter((element) => !byPatch.has(identityOf(element, mergeKey)))
  return interleave(sortBy(serverOnly, byServer, mergeKey), sortBy(inPatch, byPatch, mergeKey), byServer, mergeKey)
}
