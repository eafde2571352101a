import { isFields, memberOf, sameValue } from "@rollcall/api/values"
import { type MaybeSteps, runAllSteps, type Steps } from "@rollcall/time"
import { byElement, byElementInSteps } from "./byElement.ts"
import { type Entries, entriesOf, isEmptyMap, noEntries, noValues } from "./entries.ts"
import { FieldSetBuilder, PathTrail, STEP_ENTRIES } from "./FieldSetBuilder.ts"
import { emptySet, type FieldSet, isEmpty, isMember } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { sameLeaf } from "./sameLeaf.ts"
import {
  comparedValue,
  ElementError,
  elementOf,
  type FieldSchema,
  type ListSchema,
  type Schema,
  type StructSchema
} from "./schema.ts"
import { requireTyped } from "./Untypable.ts"

type Values = Readonly<Record<string, unknown>>

/** The differences between two states of an object, as sets of paths. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Whether both states are equal. */
export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  isEmpty(added) && isEmpty(modified) && isEmpty(removed)

/**
 * Compares two states of an object, except for the top-level fields in `except`. Parts that both share by reference cost
 * nothing. Returns the result at once if the object is small, else steps. Upstream: structured-merge-diff, typed/compare.go.
 */
export const compareInSteps = (
  before: unknown,
  after: unknown,
  schema: StructSchema,
  except: FieldSet = emptySet
): MaybeSteps<Comparison> => new Comparer(except, "decoded").compareAll(before, after, schema)

/**
 * Compares two states of an object as they are written: an absent field differs from one with its zero value, and null
 * from an empty list. So an applied configuration is compared with the live object, which `goForm` has written as Go does.
 * A new object in memory lacks the nulls that Go writes for pointers.
 */
export const compareWrittenInSteps = (
  before: unknown,
  after: unknown,
  schema: StructSchema,
  form: "written" | "new" = "written"
): MaybeSteps<Comparison> => new Comparer(emptySet, form).compareAll(before, after, schema)

/** Does the work of `compareInSteps` in one piece, without pauses. */
export const compare = (before: unknown, after: unknown, schema: StructSchema): Comparison =>
  runAllSteps(compareInSteps(before, after, schema))

const noItems: ReadonlyArray<unknown> = []

/**
 * Walks over both states together and collects the paths that differ. In all methods `before` or `after` is undefined if
 * the value is absent.
 */
class Comparer {
  readonly added = new FieldSetBuilder()
  readonly modified = new FieldSetBuilder()
  readonly removed = new FieldSetBuilder()
  private readonly trail = new PathTrail([this.added, this.modified, this.removed])
  private readonly except: FieldSet
  private readonly form: "decoded" | "written" | "new"

  /** `form` says whether both states are compared as Go decodes them, or as they are written. */
  constructor(except: FieldSet, form: "decoded" | "written" | "new") {
    this.except = except
    this.form = form
  }

  /** Compares the whole objects. Long parts are deferred (`PathTrail.defer`); then the rest is returned as steps. */
  compareAll(before: unknown, after: unknown, schema: Schema): MaybeSteps<Comparison> {
    this.compareValues(before, after, schema)
    const { added, modified, removed } = this
    if (this.trail.isLong || added.isLong || modified.isLong || removed.isLong) return this.finishInSteps()
    return { added: added.build(), modified: modified.build(), removed: removed.build() }
  }

  private *finishInSteps(): Steps<Comparison> {
    yield* this.trail.runDeferredInSteps()
    const added = yield* this.added.buildInSteps()
    const modified = yield* this.modified.buildInSteps()
    const removed = yield* this.removed.buildInSteps()
    return { added, modified, removed }
  }

  private compareValues(before: unknown, after: unknown, schema: Schema): undefined {
    if (before === after) return
    switch (schema.form) {
      case "leaf":
        return this.compareLeaf(before, after, schema)
      case "unknown":
        if (!isFields(before ?? after) || !isFields(after ?? before)) this.compareLeaf(before, after, schema)
        if (!isFields(before) && !isFields(after)) return
        break
      case "list":
        return this.compareLists(before, after, schema)
    }
    if (schema.form === "struct") {
      if (this.form !== "decoded" && isEmptyMap(before) && isEmptyMap(after))
        return this.compareLeaf(before, after, schema)
      this.recordPresence(before, after)
      return this.compareStruct(before, after, schema)
    }
    const left = isFields(before) ? entriesOf(before) : noEntries
    const right = isFields(after) ? entriesOf(after) : noEntries
    if (left.names.length === 0 && right.names.length === 0) return this.compareLeaf(before, after, schema)
    this.recordPresence(before, after)
    const inner = schema.form === "map" ? schema.values : schema
    if (left.names.length + right.names.length > STEP_ENTRIES)
      return this.trail.defer(this.compareEntriesInSteps(left, right, inner))
    this.compareEntries(left, right, inner)
  }

  /** Compares the values below the current path at `element`. */
  private compareBelow(element: PathElement, before: unknown, after: unknown, schema: Schema): undefined {
    if (before === after) return
    this.trail.enter(element)
    this.compareValues(before, after, schema)
    this.trail.leave()
  }

  private compareLeaf(before: unknown, after: unknown, schema: Schema): undefined {
    if (before === undefined) this.added.add(this.trail.path)
    else if (after === undefined) this.removed.add(this.trail.path)
    else if (!this.isSameLeaf(before, after, schema)) this.modified.add(this.trail.path)
  }

  private isSameLeaf(before: unknown, after: unknown, schema: Schema): boolean {
    return this.form === "decoded" ? sameLeaf(before, after, schema) : sameValue(before, after)
  }

  private fieldOf(field: FieldSchema, struct: Values | undefined, isBefore: boolean): unknown {
    if (struct === undefined) return undefined
    if (this.form === "decoded") return comparedValue(field, struct, isBefore)
    return this.form === "new" && field.isNullPointer ? (struct[field.name] ?? null) : struct[field.name]
  }

  /** Records that a container was added or removed. */
  private recordPresence(before: unknown, after: unknown): void {
    if (this.trail.path.length === 0) return
    if (before === undefined) this.added.add(this.trail.path)
    else if (after === undefined) this.removed.add(this.trail.path)
  }

  /** Compares field by field. A field that both share by reference needs no further look. */
  private compareStruct(before: unknown, after: unknown, schema: StructSchema): undefined {
    const left = isFields(before) ? before : undefined
    const right = isFields(after) ? after : undefined
    for (const field of schema.fields.values()) {
      const { element, name } = field
      if (this.trail.path.length === 0 && this.isExcepted(element)) {
        // A new value has no owner, but must be of its type.
        if (left?.[name] !== right?.[name]) requireTyped(right?.[name], field.schema)
        continue
      }
      if (left !== undefined && right !== undefined && left[name] === right[name]) continue
      this.compareBelow(element, this.fieldOf(field, left, true), this.fieldOf(field, right, false), field.schema)
    }
    if (schema.others !== undefined) {
      this.compareEntries(entriesOf(left ?? noValues), entriesOf(right ?? noValues), schema.others, schema.fields)
    }
  }

  private isExcepted(element: PathElement): boolean {
    const node = this.except[element]
    return node !== undefined && isMember(node)
  }

  /** Compares the entries of maps, except for names in `except`. */
  private compareEntries(left: Entries, right: Entries, schema: Schema, except?: ReadonlyMap<string, unknown>): void {
    if (schema.form === "leaf" && except === undefined) {
      this.compareLeafEntries(left, right, schema)
      return
    }
    for (const name of left.names) {
      const [oldValue, newValue] = [left.values[name], memberOf(right.values, name)]
      if (oldValue !== newValue && except?.has(name) !== true)
        this.compareBelow(`f:${name}`, oldValue, newValue, schema)
    }
    for (const name of right.names) {
      if (memberOf(left.values, name) === undefined && except?.has(name) !== true) {
        this.compareBelow(`f:${name}`, undefined, right.values[name], schema)
      }
    }
  }

  /** Does the work of `compareEntries` for long maps: first entries that `left` has, then those that only `right` has. */
  private *compareEntriesInSteps(left: Entries, right: Entries, schema: Schema): Steps<void> {
    for (let at = 0; at < left.names.length; at += STEP_ENTRIES) {
      this.compareEntries({ ...left, names: left.names.slice(at, at + STEP_ENTRIES) }, { ...right, names: [] }, schema)
      yield
    }
    for (let at = 0; at < right.names.length; at += STEP_ENTRIES) {
      this.compareEntries({ ...left, names: [] }, { ...right, names: right.names.slice(at, at + STEP_ENTRIES) }, schema)
      yield
    }
  }

  /** Compares maps of leaves (labels, data) by a shorter way than `compareBelow`: they may have 100,000 entries. */
  private compareLeafEntries(left: Entries, right: Entries, schema: Schema): void {
    const { path } = this.trail
    for (const name of left.names) {
      const [oldValue, newValue] = [left.values[name], memberOf(right.values, name)]
      if (oldValue === newValue || oldValue === undefined) continue
      if (newValue === undefined) this.removed.addBelow(path, `f:${name}`)
      else if (!this.isSameLeaf(oldValue, newValue, schema)) this.modified.addBelow(path, `f:${name}`)
    }
    for (const name of right.names) {
      if (memberOf(left.values, name) === undefined && right.values[name] !== undefined)
        this.added.addBelow(path, `f:${name}`)
    }
  }

  private compareLists(before: unknown, after: unknown, schema: ListSchema): undefined {
    const left = Array.isArray(before) ? (before as ReadonlyArray<unknown>) : noItems
    const right = Array.isArray(after) ? (after as ReadonlyArray<unknown>) : noItems
    if (left.length === 0 && right.length === 0) return this.compareLeaf(before, after, schema)
    if (left.length + right.length > STEP_ENTRIES)
      return this.trail.defer(this.compareListsInSteps(before, after, left, right, schema))
    if (this.compareInOrder(left, right, schema)) return undefined
    const oldItems = byElement(left, schema)
    const newItems = byElement(right, schema)
    for (const [element, items] of oldItems) this.compareItems(element, items, newItems.get(element) ?? noItems, schema)
    for (const [element, items] of newItems)
      if (!oldItems.has(element)) this.compareItems(element, noItems, items, schema)
    this.recordPresence(before, after)
  }

  private *compareListsInSteps(
    before: unknown,
    after: unknown,
    left: ReadonlyArray<unknown>,
    right: ReadonlyArray<unknown>,
    schema: ListSchema
  ): Steps<void> {
    const oldItems = yield* byElementInSteps(left, schema)
    const newItems = yield* byElementInSteps(right, schema)
    let count = 0
    for (const [element, items] of oldItems) {
      this.compareItems(element, items, newItems.get(element) ?? noItems, schema)
      if (++count % STEP_ENTRIES === 0) yield
    }
    for (const [element, items] of newItems) {
      if (!oldItems.has(element)) this.compareItems(element, noItems, items, schema)
      if (++count % STEP_ENTRIES === 0) yield
    }
    this.recordPresence(before, after)
  }

  /** Compares lists with the same elements in the same order, as is usual; returns false, without comparing, for others. */
  private compareInOrder(left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>, schema: ListSchema): boolean {
    if (left.length !== right.length) return false
    const elements = new Set<PathElement>()
    for (let index = 0; index < left.length; index++) {
      const element = elementOf(schema, left[index])
      if (element instanceof ElementError || elements.has(element)) return false
      if (left[index] !== right[index] && elementOf(schema, right[index]) !== element) return false
      elements.add(element)
    }
    let index = 0
    for (const element of elements) {
      this.compareBelow(element, left[index], right[index], schema.items)
      index++
    }
    return true
  }

  /** Compares the items of both lists at one element. More than one item in a list, with the same key, count as a leaf. */
  private compareItems(
    element: PathElement,
    left: ReadonlyArray<unknown>,
    right: ReadonlyArray<unknown>,
    { items }: ListSchema
  ): undefined {
    if (left.length <= 1 && right.length <= 1) return this.compareBelow(element, left[0], right[0], items)
    this.trail.enter(element)
    if (left.length > 1 && right.length > 1) {
      const same =
        left.length === right.length && left.every((item, index) => this.isSameLeaf(item, right[index], items))
      if (!same) this.modified.add(this.trail.path)
    } else if (left.length > 1) {
      if (right.length > 0) this.compareValues(undefined, right[0], items)
      this.removed.add(this.trail.path)
    } else {
      if (left.length > 0) this.compareValues(left[0], undefined, items)
      this.added.add(this.trail.path)
    }
    this.trail.leave()
  }
}
