import type { FieldType, MessageType, WireType } from "../wire/WireType.ts"

/** The struct whose tags a strategic patch follows: `wireTypeOf(kind)` for a whole object. */
export type StructMeta = MessageType

/**
 * How a field takes a strategic patch: the patchStrategy and patchMergeKey tags of the Go types, as the wire tables have them. A
 * field without a tag: a map merges member by member, a list is replaced whole.
 */
export interface FieldMeta {
  /** The struct of the field, or of the list's elements. */
  readonly struct?: StructMeta
  readonly strategy?: "merge" | "replace"
  /** The member by which elements of a merging list are the same; none for lists of scalars. */
  readonly mergeKey?: string
  /** Diffs name the members to keep, because only some of them may be set together. */
  readonly retainKeys?: true
}

const structOf = (type: WireType): StructMeta | undefined => {
  if (type.type === "list") return structOf(type.items)
  return type.type === "message" ? type.message : undefined
}

const strategies = {
  merge: { strategy: "merge" },
  "merge,retainKeys": { strategy: "merge", retainKeys: true },
  retainKeys: { retainKeys: true },
  replace: { strategy: "replace" }
} as const

const metaOf = ({ patchMergeKey, patchStrategy, type }: FieldType): FieldMeta => {
  const struct = structOf(type)
  return {
    ...(struct === undefined ? {} : { struct }),
    ...(patchStrategy === undefined ? {} : strategies[patchStrategy]),
    ...(patchMergeKey === undefined ? {} : { mergeKey: patchMergeKey })
  }
}

const untagged: FieldMeta = {}
const known = new WeakMap<FieldType, FieldMeta>()

export const fieldMeta = (meta: StructMeta | undefined, field: string): FieldMeta => {
  const type = meta?.fields.get(field)
  if (type === undefined) return untagged
  let made = known.get(type)
  if (made === undefined) {
    made = metaOf(type)
    known.set(type, made)
  }
  return made
}
