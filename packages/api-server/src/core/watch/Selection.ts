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

/** What selections look at of a kind. */
export interface SelectableKind {
  readonly resource: Resource
  readonly index: FieldIndex | undefined
  /** Fields to select by, beside name and namespace; undefined: as its kind has them. */
  readonly selectable?: ReadonlyArray<string>
  /** The text of a selectable field beyond name and namespace. */
  fieldOf?(object: KubeObject, field: string): string | undefined
}

/** What a list, a watch or a deletecollection is about, made ready for matching and for the indexes. */
export interface Selection {
  /** Undefined: all of them, or the kind has none. */
  readonly namespace: string | undefined
  /** The one name asked for by `metadata.name=`. */
  readonly name: string | undefined
  /** The value asked for of the kind's indexed field. */
  readonly indexed: string | undefined
  /** Beyond the namespace; undefined when there is nothing to check. */
  readonly matches: ((object: KubeObject) => boolean) | undefined
  /** Given by a selector: such lists do not say how much remains. */
  readonly selective: boolean
}

export interface SelectorTexts {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

const present = (text: string | undefined): text is string => text !== undefined && text !== ""

/** The selection that these texts ask for; fails with the parsers' text. */
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
  // What thousands of kubelets ask for, each its own: one comparison.
  if (index !== undefined && value !== undefined && selector.terms.length === 1) {
    return (object) => index.valueOf(object) === value
  }
  return (object) => matchesFieldSelector(selector, (field) => fieldOf(definition, object, field))
}

/** The text of a selectable field of an object; undefined when it has none. */
const fieldOf = (definition: SelectableKind, object: KubeObject, field: string): string | undefined => {
  if (field === "metadata.name") return object.metadata.name
  if (field === "metadata.namespace") return object.metadata.namespace
  return definition.fieldOf?.(object, field)
}

/** Visits what is selected, in key order, by the cheapest way there is. */
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
