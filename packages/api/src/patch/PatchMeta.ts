import type { FieldType, MessageType, WireType } from "../wire/WireType.ts"

/** The struct whose tags a strategic patch follows: `wireTypeOf(kind)` for a whole object. */
export type StructMeta = MessageType

/** What a field holds that is not a struct of Go's API: a map, or a struct around JSON of any form, by its name. */
export type Opaque = "map" | { readonly struct: string }

/**
 * How a strategic patch applies to a field: the patchStrategy and patchMergeKey tags of the Go types, from the wire
 * tables. Without a tag, a map is merged member by member and a list is replaced.
 */
export interface FieldMeta {
  /** The struct of the field, or of the list's elements. */
  readonly struct?: StructMeta
  readonly opaque?: Opaque
  readonly strategy?: "merge" | "replace"
  /** The member that identifies elements of a merging list. Absent for lists of scalars. */
  readonly mergeKey?: string
  /** Set if a diff must list the members to keep (`$retainKeys`), because only certain combinations are valid. */
  readonly retainKeys?: true
}

const structOf = (type: WireType): StructMeta | undefined => {
  if (type.type === "list") return structOf(type.items)
  return type.type === "message" ? type.message : undefined
}

const opaqueOf = (type: WireType): Opaque | undefined => {
  if (type.type === "list") return opaqueOf(type.items)
  if (type.type === "map") return "map"
  if (type.type !== "scalar") return undefined
  if (type.scalar === "any") return { struct: type.union?.name ?? "JSON" }
  return type.scalar === "RawExtension" || type.scalar === "FieldsV1" ? { struct: type.scalar } : undefined
}

const strategies = {
  merge: { strategy: "merge" },
  "merge,retainKeys": { strategy: "merge", retainKeys: true },
  retainKeys: { retainKeys: true },
  replace: { strategy: "replace" }
} as const

const metaOf = ({ patchMergeKey, patchStrategy, type }: FieldType): FieldMeta => {
  const [opaque, struct] = [opaqueOf(type), structOf(type)]
  return {
    ...(opaque === undefined ? {} : { opaque }),
    ...(struct === undefined ? {} : { struct }),
    ...(patchStrategy === undefined ? {} : strategies[patchStrategy]),
    ...(patchMergeKey === undefined ? {} : { mergeKey: patchMergeKey })
  }
}

const untagged: FieldMeta = {}
const metaByField = new WeakMap<FieldType, FieldMeta>()

/** Returns how a patch applies to a field of a struct. Unknown fields have no tags. */
export const fieldMeta = (struct: StructMeta | undefined, field: string): FieldMeta => {
  const type = struct?.fields.get(field)
  if (type === undefined) return untagged
  let made = metaByField.get(type)
  if (made === undefined) {
    made = metaOf(type)
    metaByField.set(type, made)
  }
  return made
}
