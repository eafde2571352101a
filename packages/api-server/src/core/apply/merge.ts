import { isFields } from "../objects/values.ts"
import { entrySchema, repeatedOf } from "./extract.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema, type Schema } from "./schema.ts"

type Values = Readonly<Record<string, unknown>>

/**
 * Merges a configuration into the live object: leaves are the configuration's, maps and keyed lists are merged, and
 * fields that it omits stay. The result shares parts of both.
 *
 * Upstream: sigs.k8s.io/structured-merge-diff, typed/merge.go.
 */
export const merge = (live: unknown, config: unknown, schema: Schema): unknown => {
  if (config === undefined || live === config) return live
  if (live === undefined) return config
  if (schema.form === "leaf") return config
  if (schema.form === "list") return mergeLists(live, config, schema)
  if (schema.form === "unknown" && !(isFields(live) && isFields(config))) return config
  const left = isFields(live) ? live : {}
  const right = isFields(config) ? config : {}
  if (Object.keys(right).length === 0) return Object.keys(left).length === 0 ? config : live
  return mergeEntries(left, right, schema)
}

const mergeEntries = (live: Values, config: Values, schema: Exclude<Schema, { form: "leaf" | "list" }>): Values => {
  const result: Record<string, unknown> = { ...live }
  for (const name of Object.keys(config)) {
    const entry = entrySchema(schema, name)
    result[name] = entry === undefined ? config[name] : merge(live[name], config[name], entry.schema)
  }
  return result
}

const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Merges lists in an order that respects both: the configuration's elements in its order, the live list's around them.
 */
const mergeLists = (live: unknown, config: unknown, schema: ListSchema): unknown => {
  const left = itemsOf(live)
  const right = itemsOf(config)
  if (right.length === 0) return left.length === 0 ? config : live
  const leftElements = left.map((item) => keyOf(item, schema))
  const rightElements = right.map((item) => keyOf(item, schema))
  const inLeft = new Map(leftElements.map((element, index) => [element, index]))
  const inRight = new Map(rightElements.map((element, index) => [element, index]))
  const repeated = repeatedOf(leftElements)
  const merged = new Set<PathElement>()
  const result: Array<unknown> = []
  const take = (element: PathElement) => {
    const leftIndex = repeated.has(element) ? undefined : inLeft.get(element)
    merged.add(element)
    result.push(
      merge(leftIndex === undefined ? undefined : left[leftIndex], right[inRight.get(element) ?? 0], schema.items)
    )
  }

  const shared = rightElements.filter((element) => inLeft.has(element))
  let sharedAt = 0
  let nextShared = shared[sharedAt]
  let leftAt = 0
  let rightAt = 0
  while (leftAt < left.length || rightAt < right.length) {
    const ours = leftElements[leftAt]
    const theirs = rightElements[rightAt]
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(ours)
        leftAt++
        rightAt++
        nextShared = shared[++sharedAt]
        continue
      }
      // Both have it, but another shared element comes first.
      if (inRight.has(ours) && nextShared !== undefined && nextShared !== ours) {
        leftAt++
        continue
      }
    }
    if (ours !== undefined) {
      if (!inRight.has(ours)) {
        result.push(left[leftAt++])
        continue
      }
      if (merged.has(ours)) leftAt++
    }
    if (theirs !== undefined) {
      take(theirs)
      rightAt++
      if (nextShared === theirs) nextShared = shared[++sharedAt]
    }
  }
  return result
}

const keyOf = (item: unknown, schema: ListSchema): PathElement => {
  const element = elementOf(schema, item)
  return element instanceof ElementError ? `v:${JSON.stringify(item)}` : element
}
