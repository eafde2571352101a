import * as Schema from "effect/Schema"
import { ObjectMeta } from "../objects/Meta.ts"

/** The common fields of every kind, with its apiVersion and kind fixed. */
export const typed = <const ApiVersion extends string, const Kind extends string>(
  apiVersion: ApiVersion,
  kind: Kind
) => ({
  apiVersion: Schema.Literal(apiVersion),
  kind: Schema.Literal(kind),
  metadata: ObjectMeta
})
