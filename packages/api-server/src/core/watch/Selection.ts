import type { KubeObject } from "@rollcall/api"
import {
  exactFieldValue,
  type FieldSelector,
  matchesFieldSelector,
  matchesLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  type Resource,
  type SelectorError
} from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { FieldIndex, KindCache } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"

/** The properties of a kind that selections need. */
export interface SelectableKind {
  readonly resource: Resource
  readonly index: FieldIndex | undefined
  /** Selectable fields besides name and namespace. If absent, the API's table of field selectors applies. */
  readonly selectable?: ReadonlyArray<string>
  /** Returns the value of a selectable field other than name and namespace, or undefined if the object has none. */
  fieldOf?(object: KubeObject, field: string): string | undefined
}

/** The objects of a list, a watch or a deletecollection, compiled for matching and for the indexes. */
export interface Selection {
  /** Undefined for all namespaces, and for a cluster-scoped kind. */
  readonly namespace: string | undefined
  /** The name that the field selector requires (`metadata.name=a`), if it does. */
  readonly name: string | undefined
  /** The value of the kind's indexed field that the field selector requires (`spec.nodeName=a`), if it does. */
  readonly indexedValue: string | undefined
  /** Whether an object matches the selectors; it does not check the namespace. Undefined without selectors. */
  readonly matches: ((object: KubeObject) => boolean) | undefined
  /** Makes the event of a change in place of the rules for selectors; only with `matches`. */
  readonly eventOf?: (change: Occurrence) => WatchEvent
  /** Whether the request has a selector: the list then has no remainingItemCount. */
  readonly hasSelector: boolean
}

/** The parts of a request that select objects, in their wire form. Empty is the same as absent. */
export interface SelectorTexts {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

const isPresent = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Parses the selectors of a request; fails with the parsers' message. */
export const selectionOf = (
  definition: SelectableKind,
  texts: SelectorTexts
): Result.Result<Selection, SelectorError> => {
  const { resource } = definition
  const namespace = resource.namespaced && isPresent(texts.namespace) ? texts.namespace : undefined
  if (!isPresent(texts.labelSelector) && !isPresent(texts.fieldSelector)) {
    return Result.succeed({
      namespace,
      name: undefined,
      indexedValue: undefined,
      matches: undefined,
      hasSelector: false
    })
  }
  const labels = isPresent(texts.labelSelector) ? parseLabelSelector(texts.labelSelector) : undefined
  if (labels !== undefined && Result.isFailure(labels)) return Result.fail(labels.failure)
  const fields = isPresent(texts.fieldSelector)
    ? parseFieldSelector(texts.fieldSelector, resource.kind, definition.selectable)
    : undefined
  if (fields !== undefined && Result.isFailure(fields)) return Result.fail(fields.failure)

  const byLabels =
    labels === undefined
      ? undefined
      : (object: KubeObject) => matchesLabelSelector(labels.success, object.metadata.labels)
  const byFields = fields === undefined ? undefined : fieldMatcher(definition, fields.success)
  return Result.succeed({
    namespace,
    name: fields && exactFieldValue(fields.success, "metadata.name"),
    indexedValue: fields && definition.index && exactFieldValue(fields.success, definition.index.field),
    matches: bothMatch(byLabels, byFields),
    hasSelector: true
  })
}

type Matcher = (object: KubeObject) => boolean

const bothMatch = (left: Matcher | undefined, right: Matcher | undefined): Matcher | undefined => {
  if (left === undefined) return right
  if (right === undefined) return left
  return (object) => right(object) && left(object)
}

const fieldMatcher = (definition: SelectableKind, selector: FieldSelector): Matcher | undefined => {
  if (selector.terms.length === 0) return undefined
  const { index } = definition
  const value = index && exactFieldValue(selector, index.field)
  // Thousands of kubelets have a selector of this form, each with its own value: one comparison suffices.
  if (index !== undefined && value !== undefined && selector.terms.length === 1) {
    return (object) => index.valueOf(object) === value
  }
  return (object) => matchesFieldSelector(selector, (field) => fieldOf(definition, object, field))
}

/** Returns the value of a selectable field of an object, or undefined if it has none. */
const fieldOf = (definition: SelectableKind, object: KubeObject, field: string): string | undefined => {
  if (field === "metadata.name") return object.metadata.name
  if (field === "metadata.namespace") return object.metadata.namespace
  return definition.fieldOf?.(object, field)
}

/** Visits the selected objects in key order, by the cheapest index. */
export const selectFrom = (cache: KindCache, selection: Selection, visitor: (object: KubeObject) => void): void => {
  const { indexedValue, matches, name, namespace } = selection
  const check = (object: KubeObject) => {
    if (matches === undefined || matches(object)) visitor(object)
  }
  const bucket = cache.namespaced ? namespace : ""
  if (name !== undefined && bucket !== undefined) {
    const cached = cache.get(bucket, name)
    if (cached !== undefined) check(cached.object)
  } else if (indexedValue !== undefined) {
    for (const { object } of cache.withIndexedValue(indexedValue)) {
      if (namespace === undefined || object.metadata.namespace === namespace) check(object)
    }
  } else cache.visit(namespace, check)
}
