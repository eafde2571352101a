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
import * as Result from "effect/Result"
import type { FieldIndex, KindCache } from "./KindCache.ts"

/** The properties of a kind that selections need. */
export interface SelectableKind {
  readonly resource: Resource
  readonly index: FieldIndex | undefined
  /** Selectable fields besides name and namespace; undefined: those of its kind. */
  readonly selectable?: ReadonlyArray<string>
  /** Returns the text of a selectable field other than name and namespace. */
  fieldOf?(object: KubeObject, field: string): string | undefined
}

/** The objects of a list, a watch or a deletecollection, compiled for matching and for the indexes. */
export interface Selection {
  /** Undefined: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined
  /** The name in `metadata.name=`. */
  readonly name: string | undefined
  /** The required value of the kind's indexed field. */
  readonly indexed: string | undefined
  /** The check besides the namespace; undefined when there is none. */
  readonly matches: ((object: KubeObject) => boolean) | undefined
  /** There is a selector: such lists have no remainingItemCount. */
  readonly selective: boolean
}

export interface SelectorTexts {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

const present = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Parses the selectors of a request; fails with the parsers' message. */
export const selectionOf = (
  definition: SelectableKind,
  texts: SelectorTexts
): Result.Result<Selection, SelectorError> => {
  const { resource } = definition
  const namespace = resource.namespaced && present(texts.namespace) ? texts.namespace : undefined
  if (!present(texts.labelSelector) && !present(texts.fieldSelector)) {
    return Result.succeed({ namespace, name: undefined, indexed: undefined, matches: undefined, selective: false })
  }
  const labels = present(texts.labelSelector) ? parseLabelSelector(texts.labelSelector) : undefined
  if (labels !== undefined && Result.isFailure(labels)) return Result.fail(labels.failure)
  const fields = present(texts.fieldSelector)
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
    indexed: fields && definition.index && exactFieldValue(fields.success, definition.index.field),
    matches: both(byLabels, byFields),
    selective: true
  })
}

type Matcher = (object: KubeObject) => boolean

const both = (left: Matcher | undefined, right: Matcher | undefined): Matcher | undefined => {
  if (left === undefined) return right
  if (right === undefined) return left
  return (object) => right(object) && left(object)
}

const fieldMatcher = (definition: SelectableKind, selector: FieldSelector): Matcher | undefined => {
  if (selector.terms.length === 0) return undefined
  const { index } = definition
  const value = index && exactFieldValue(selector, index.field)
  // The selector of thousands of kubelets, each with its own value: one comparison.
  if (index !== undefined && value !== undefined && selector.terms.length === 1) {
    return (object) => index.valueOf(object) === value
  }
  return (object) => matchesFieldSelector(selector, (field) => fieldOf(definition, object, field))
}

/** Returns the text of a selectable field of an object; undefined if it has none. */
const fieldOf = (definition: SelectableKind, object: KubeObject, field: string): string | undefined => {
  if (field === "metadata.name") return object.metadata.name
  if (field === "metadata.namespace") return object.metadata.namespace
  return definition.fieldOf?.(object, field)
}

/** Visits the selected objects in key order, by the cheapest index. */
export const selectFrom = (cache: KindCache, selection: Selection, visitor: (object: KubeObject) => void): void => {
  const { indexed, matches, name, namespace } = selection
  const check = (object: KubeObject) => {
    if (matches === undefined || matches(object)) visitor(object)
  }
  const bucket = cache.namespaced ? namespace : ""
  if (name !== undefined && bucket !== undefined) {
    const cached = cache.get(bucket, name)
    if (cached !== undefined) check(cached.object)
  } else if (indexed !== undefined) {
    for (const { object } of cache.withIndexed(indexed)) {
      if (namespace === undefined || object.metadata.namespace === namespace) check(object)
    }
  } else cache.visit(namespace, check)
}
