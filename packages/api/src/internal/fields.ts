import * as Schema from "effect/Schema"

/** A key that may be absent; an explicit undefined is refused. */
export const opt = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/**
 * A string field with known values. Any string decodes, because the API judges values after decoding (422, not 400), and
 * because an object may come from a release that knows more; the type offers the known ones.
 */
export type OneOf<Known extends string> = Known | (string & Record<never, never>)
export const oneOf = <const Known extends string>(
  ..._known: ReadonlyArray<Known>
): Schema.Codec<OneOf<Known>, string> => Schema.String

export const list = <S extends Schema.Constraint>(item: S): Schema.$Array<S> => Schema.Array(item)

export const StringMap = Schema.Record(Schema.String, Schema.String)

/** Fields that are handed through and never looked into. */
export const Opaque = Schema.Record(Schema.String, Schema.Unknown)
