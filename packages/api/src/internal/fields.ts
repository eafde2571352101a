import * as Schema from "effect/Schema"
import type { OneOf } from "./OneOf.ts"

/** An optional key; an explicit undefined is rejected. */
export const opt = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A string field with known values, which any string decodes to: see `OneOf`. */
export const oneOf = <const Known extends string>(
  ..._known: ReadonlyArray<Known>
): Schema.Codec<OneOf<Known>, string> => Schema.String

export const list = <S extends Schema.Constraint>(item: S): Schema.$Array<S> => Schema.Array(item)

export const StringMap = Schema.Record(Schema.String, Schema.String)

/** An object whose fields no code here reads; they are passed through. */
export const Opaque = Schema.Record(Schema.String, Schema.Unknown)
