import * as Schema from "effect/Schema"
import { ObjectMeta } from "../objects/Meta.ts"

/** The fields that every kind starts with, its own apiVersion and kind fixed. */
export const typed = <const ApiVersion extends string, const Kind extends string>(
  apiVersion: ApiVersion,
  kind: Kind
) => ({
  apiVersion: Schema.Literal(apiVersion),
  kind: Schema.Literal(kind),
  metadata: ObjectMeta
})
