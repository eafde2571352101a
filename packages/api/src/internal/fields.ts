import * as Schema from "effect/Schema"

/** An optional key; an explicit undefined is rejected. */
export const opt = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/**
 * A string field with known values. Any string decodes, because the API checks values after decoding (422, not 400),
 * and because an object may come from a newer release; the type suggests the known values.
 */
export type OneOf<Known extends string> = Known | (string & Record<never, never>)
export const oneOf = <const Known extends string>(
  ..._known: ReadonlyArray<Known>
): Schema.Codec<OneOf<Known>, string> => Schema.String

export const list = <S extends Schema.Constraint>(item: S): Schema.$Array<S> => Schema.Array(item)

export const StringMap = Schema.Record(Schema.String, Schema.String)

/** An object whose fields no code here reads; they are passed through. */
export const Opaque = Schema.Record(Schema.String, Schema.Unknown)
