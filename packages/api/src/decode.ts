import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { withZeroValues } from "./internal/zeroValues.ts"
import { apiVersionOf, type KindName, kindOf, type ListOf, type ObjectOf } from "./Kinds.ts"
import { ListMeta } from "./objects/Meta.ts"

/**
 * Checks untrusted JSON against a Schema of this package and returns it: these Schemas do not transform, so fields that
 * they do not model are kept.
 * As in Go, an absent or null field has its zero value and is not an error: validation (422) checks for required
 * fields, after defaulting. A field of the wrong JSON type, an invalid quantity or an invalid time is an error (400).
 */
export const decodeWire = <A>(
  schema: Schema.Codec<A, unknown>
): ((input: unknown) => Effect.Effect<A, Schema.SchemaError>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (input) => {
    const value = withZeroValues(schema.ast, input)
    return Effect.as(decode(value), value as A)
  }
}

type Decoder<K extends KindName> = (input: unknown) => Effect.Effect<ObjectOf<K>, Schema.SchemaError>

const decoders = new Map<KindName, Decoder<KindName>>()

/** Decodes an object of a known kind as `decodeWire` does; apiVersion and kind may be absent. */
export const decodeObject = <K extends KindName>(
  kind: K,
  input: unknown
): Effect.Effect<ObjectOf<K>, Schema.SchemaError> => {
  const decoder = (decoders.get(kind) as Decoder<K> | undefined) ?? decodeWire(kindOf(kind).schema)
  decoders.set(kind, decoder)
  return decoder(input)
}

const decodeListShape = decodeWire(
  Schema.Struct({ metadata: ListMeta, items: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

/** Decodes a list as an API server returns it. Servers omit apiVersion and kind in the items; this adds them. */
export const decodeList = <K extends KindName>(kind: K, input: unknown): Effect.Effect<ListOf<K>, Schema.SchemaError> =>
  Effect.gen(function* () {
    const { items, metadata } = yield* decodeListShape(input)
    const decoded = yield* Effect.forEach(items, (item) => decodeObject(kind, item))
    return { apiVersion: apiVersionOf(kind), kind: `${kind}List`, metadata, items: decoded }
  })
