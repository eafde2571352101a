import { isFields } from "../objects/values.ts"
import { type MaybeSteps, runAllSteps, type Steps } from "../turns/Steps.ts"
import { FieldSetBuilder, MANY, PathTrail } from "./FieldSetBuilder.ts"
import { emptySet, type FieldSet, isEmpty, isMember } from "./fieldSet.ts"
import type { PathElement } from "./pathElement.ts"
import { sameLeaf } from "./sameLeaf.ts"
import { ElementError, elementOf, fieldValue, type ListSchema, type Schema, type StructSchema } from "./schema.ts"

type Values = Readonly<Record<string, unknown>>

/** The differences of two states of an object, as paths. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  isEmpty(added) && isEmpty(modified) && isEmpty(removed)

/**
 * Compares two states of an object, without the top-level parts in `except`. Parts shared by reference cost nothing.
 * Upstream: sigs.k8s.io/structured-merge-diff, typed/compare.go.
 */
export const compareInSteps = (
  before: unknown,
  after: unknown,
  schema: StructSchema,
  except: FieldSet = emptySet
): MaybeSteps<Comparison> => new Walk(except).all(before, after, schema)

/** Does the work of `compareInSteps` in one piece, without pauses. */
export const compare = (before: unknown, after: unknown, schema: StructSchema): Comparison =>
  runAllSteps(compareInSteps(before, after, schema))

const none: ReadonlyArray<unknown> = []
const nothing: Values = {}

interface Entries {
  readonly values: Values
  readonly names: ReadonlyArray<string>
}

const entriesOf = (values: Values): Entries => ({ values, names: Object.keys(values) })
const noEntries: Entries = { values: nothing, names: [] }

/** The walk over both states; undefined means absent. */
class Walk {
  readonly added = new FieldSetBuilder()
  readonly modified = new FieldSetBuilder()
  readonly removed = new FieldSetBuilder()
  private readonly trail = new PathTrail([this.added, this.modified, this.removed])
  private readonly except: FieldSet

  constructor(except: FieldSet) {
    this.except = except
  }

  all(before: unknown, after: unknown, schema: Schema): MaybeSteps<Comparison> {
    this.values(before, after, schema)
    const { added, modified, removed } = this
    if (this.trail.isLong || added.isLong || modified.isLong || removed.isLong) return this.rest()
    return { added: added.done(), modified: modified.done(), removed: removed.done() }
  }

  private *rest(): Steps<Comparison> {
    yield* this.trail.finish()
    const added = yield* this.added.inParts()
    const modified = yield* this.modified.inParts()
    const removed = yield* this.removed.inParts()
    return { added, modified, removed }
  }

  private values(before: unknown, after: unknown, schema: Schema): undefined {
    if (before === after) return
    switch (schema.form) {
      case "leaf":
        return this.leaf(before, after, schema)
      case "unknown":
        if (!isFields(before ?? after) || !isFields(after ?? before)) return this.leaf(before, after, schema)
        break
      case "list":
        return this.list(before, after, schema)
    }
    if (schema.form === "struct") {
      this.presence(before, after)
      return this.struct(before, after, schema)
    }
    const left = isFields(before) ? entriesOf(before) : noEntries
    const right = isFields(after) ? entriesOf(after) : noEntries
    if (left.names.length === 0 && right.names.length === 0) return this.leaf(before, after, schema)
    this.presence(before, after)
    const inner = schema.form === "map" ? schema.values : schema
    if (left.names.length + right.names.length > MANY) return this.trail.defer(this.longEntries(left, right, inner))
    this.entries(left, right, inner)
  }

  private at(element: PathElement, before: unknown, after: unknown, schema: Schema): undefined {
    if (before === after) return
    this.trail.enter(element)
    this.values(before, after, schema)
    this.trail.leave()
  }

  private leaf(before: unknown, after: unknown, schema: Schema): undefined {
    if (before === undefined) this.added.add(this.trail.path)
    else if (after === undefined) this.removed.add(this.trail.path)
    else if (!sameLeaf(before, after, schema)) this.modified.add(this.trail.path)
  }

  /** Records that a container was added or removed. */
  private presence(before: unknown, after: unknown): void {
    if (this.trail.path.length === 0) return
    if (before === undefined) this.added.add(this.trail.path)
    else if (after === undefined) this.removed.add(this.trail.path)
  }

  private struct(before: unknown, after: unknown, schema: StructSchema): undefined {
    const left = isFields(before) ? before : undefined
    const right = isFields(after) ? after : undefined
    for (const field of schema.fields.values()) {
      const { element, name } = field
      if (this.trail.path.length === 0 && this.isExcepted(element)) continue
      if (left !== undefined && right !== undefined && left[name] === right[name]) continue
      const was = left === undefined ? undefined : fieldValue(field, left)
      const is = right === undefined ? undefined : fieldValue(field, right)
      this.at(element, was, is, field.schema)
    }
    if (schema.others !== undefined) {
      this.entries(entriesOf(left ?? nothing), entriesOf(right ?? nothing), schema.others, schema.fields)
    }
  }

  private isExcepted(element: PathElement): boolean {
    const node = this.except[element]
    return node !== undefined && isMember(node)
  }

  private entries(left: Entries, right: Entries, schema: Schema, except?: ReadonlyMap<string, unknown>): void {
    if (schema.form === "leaf" && except === undefined) {
      this.leaves(left, right, schema)
      return
    }
    for (const name of left.names) {
      const [was, is] = [left.values[name], right.values[name]]
      if (was !== is && except?.has(name) !== true) this.at(`f:${name}`, was, is, schema)
    }
    for (const name of right.names) {
      if (left.values[name] === undefined && except?.has(name) !== true) {
        this.at(`f:${name}`, undefined, right.values[name], schema)
      }
    }
  }

  private *longEntries(left: Entries, right: Entries, schema: Schema): Steps<void> {
    for (let at = 0; at < left.names.length; at += MANY) {
      this.entries({ ...left, names: left.names.slice(at, at + MANY) }, { ...right, names: [] }, schema)
      yield
    }
    for (let at = 0; at < right.names.length; at += MANY) {
      this.entries({ ...left, names: [] }, { ...right, names: right.names.slice(at, at + MANY) }, schema)
      yield
    }
  }

  /** Compares maps of leaves, such as labels and data: up to a hundred thousand entries without children. */
  private leaves(left: Entries, right: Entries, schema: Schema): void {
    const { path } = this.trail
    for (const name of left.names) {
      const [was, is] = [left.values[name], right.values[name]]
      if (was === is || was === undefined) continue
      if (is === undefined) this.removed.addBelow(path, `f:${name}`)
      else if (!sameLeaf(was, is, schema)) this.modified.addBelow(path, `f:${name}`)
    }
    for (const name of right.names) {
      if (left.values[name] === undefined && right.values[name] !== undefined) this.added.addBelow(path, `f:${name}`)
    }
  }

  private list(before: unknown, after: unknown, schema: ListSchema): undefined {
    const left = Array.isArray(before) ? (before as ReadonlyArray<unknown>) : none
    const right = Array.isArray(after) ? (after as ReadonlyArray<unknown>) : none
    if (left.length === 0 && right.length === 0) {
      return this.leaf(before, after, schema)
    }
    if (left.length + right.length > MANY) return this.trail.defer(this.longList(before, after, left, right, schema))
    if (this.alike(left, right, schema)) return undefined
    const was = byElement(left, schema)
    const is = byElement(right, schema)
    for (const [element, items] of was) this.items(element, items, is.get(element) ?? none, schema)
    for (const [element, items] of is) if (!was.has(element)) this.items(element, none, items, schema)
    this.presence(before, after)
  }

  private *longList(
    before: unknown,
    after: unknown,
    left: ReadonlyArray<unknown>,
    right: ReadonlyArray<unknown>,
    schema: ListSchema
  ): Steps<void> {
    const was = yield* inParts(left, schema)
    const is = yield* inParts(right, schema)
    let count = 0
    for (const [element, items] of was) {
      this.items(element, items, is.get(element) ?? none, schema)
      if (++count % MANY === 0) yield
    }
    for (const [element, items] of is) {
      if (!was.has(element)) this.items(element, none, items, schema)
      if (++count % MANY === 0) yield
    }
    this.presence(before, after)
  }

  /** Handles the usual case: the same elements in the same order. Returns false when nothing was compared. */
  private alike(left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>, schema: ListSchema): boolean {
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
      this.at(element, left[index], right[index], schema.items)
      index++
    }
    return true
  }

  /** Elements with the same key are compared as one leaf. */
  private items(
    element: PathElement,
    left: ReadonlyArray<unknown>,
    right: ReadonlyArray<unknown>,
    { items }: ListSchema
  ): undefined {
    if (left.length <= 1 && right.length <= 1) return this.at(element, left[0], right[0], items)
    this.trail.enter(element)
    if (left.length > 1 && right.length > 1) {
      const same = left.length === right.length && left.every((item, index) => sameLeaf(item, right[index], items))
      if (!same) this.modified.add(this.trail.path)
    } else if (left.length > 1) {
      if (right.length > 0) this.values(undefined, right[0], items)
      this.removed.add(this.trail.path)
    } else {
      if (left.length > 0) this.values(left[0], undefined, items)
      this.added.add(this.trail.path)
    }
    this.trail.leave()
  }
}

const inParts = function* (items: ReadonlyArray<unknown>, schema: ListSchema): Steps<ReturnType<typeof byElement>> {
  const found: ReturnType<typeof byElement> = new Map()
  for (let at = 0; at < items.length; at += MANY) {
    byElement(items.slice(at, at + MANY), schema, found)
    yield
  }
  return found
}

const byElement = (
  items: ReadonlyArray<unknown>,
  schema: ListSchema,
  found = new Map<PathElement, Array<unknown>>()
): Map<PathElement, Array<unknown>> => {
  for (const item of items) {
    const element = elementOf(schema, item)
    if (element instanceof ElementError) continue
    const others = found.get(element)
    if (others === undefined) found.set(element, [item])
    else others.push(item)
  }
  return found
}
