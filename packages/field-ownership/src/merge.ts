import { isFields, memberOf } from "@rollcall/api/values"
import { putMember } from "@rollcall/api/wire"
import { entrySchema, repeatedOf } from "./extract.ts"
import { elementText, type PathElement } from "./pathElement.ts"
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
  if (schema.form === "unknown" && !isFields(config)) return config === null && isFields(live) ? live : config
  if (schema.form === "unknown" && !isFields(live)) return config
  const left = isFields(live) ? live : {}
  const right = isFields(config) ? config : {}
  if (Object.keys(right).length === 0) return Object.keys(left).length === 0 ? config : live
  return mergeEntries(left, right, schema)
}

const mergeEntries = (live: Values, config: Values, schema: Exclude<Schema, { form: "leaf" | "list" }>): Values => {
  const result: Record<string, unknown> = { ...live }
  for (const name of Object.keys(config)) {
    const entry = entrySchema(schema, name)
    putMember(
      result,
      name,
      entry === undefined ? config[name] : merge(memberOf(live, name), config[name], entry.schema)
    )
  }
  return result
}

const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Merges lists in an order that respects both: the configuration's elements in its order, the live list's other elements
 * between them where they were. A live element that occurs more than once is not merged, but replaced.
 */
const mergeLists = (live: unknown, config: unknown, schema: ListSchema): unknown => {
  const liveItems = itemsOf(live)
  const configItems = itemsOf(config)
  if (configItems.length === 0) return liveItems.length === 0 ? config : live
  const liveElements = liveItems.map((item) => mergeKeyOf(item, schema))
  const configElements = configItems.map((item) => mergeKeyOf(item, schema))
  const liveIndexes = new Map(liveElements.map((element, index) => [element, index]))
  const configIndexes = new Map(configElements.map((element, index) => [element, index]))
  const repeated = repeatedOf(liveElements)
  const merged = new Set<PathElement>()
  const result: Array<unknown> = []
  const addConfigElement = (element: PathElement) => {
    const liveIndex = repeated.has(element) ? undefined : liveIndexes.get(element)
    merged.add(element)
    const liveItem = liveIndex === undefined ? undefined : liveItems[liveIndex]
    result.push(merge(liveItem, configItems[configIndexes.get(element) ?? 0], schema.items))
  }

  // The elements of both lists, in the configuration's order; `nextShared` is the first that is not merged yet.
  const shared = configElements.filter((element) => liveIndexes.has(element))
  let sharedAt = 0
  let nextShared = shared[sharedAt]
  let liveAt = 0
  let configAt = 0
  while (liveAt < liveItems.length || configAt < configItems.length) {
    const liveElement = liveElements[liveAt]
    const configElement = configElements[configAt]
    if (liveElement !== undefined && configElement !== undefined) {
      if (liveElement === configElement) {
        addConfigElement(liveElement)
        liveAt++
        configAt++
        nextShared = shared[++sharedAt]
        continue
      }
      // The configuration has this element as well, but a different shared element must come first.
      if (configIndexes.has(liveElement) && nextShared !== undefined && nextShared !== liveElement) {
        liveAt++
        continue
      }
    }
    if (liveElement !== undefined) {
      if (!configIndexes.has(liveElement)) {
        result.push(liveItems[liveAt++])
        continue
      }
      if (merged.has(liveElement)) liveAt++
    }
    if (configElement !== undefined) {
      addConfigElement(configElement)
      configAt++
      if (nextShared === configElement) nextShared = shared[++sharedAt]
    }
  }
  return result
}

/** Returns the path element of a list item; an invalid item counts as a value of a set. */
const mergeKeyOf = (item: unknown, schema: ListSchema): PathElement => {
  const element = elementOf(schema, item)
  return element instanceof ElementError ? `v:${elementText(item)}` : element
}
