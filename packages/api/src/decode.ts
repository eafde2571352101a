import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { withZeroValues } from "./internal/zeroValues.ts"
import { type ListOf, type ObjectOf, schemas } from "./Kinds.ts"
import { ListMeta } from "./objects/Meta.ts"
import { apiVersionOf, type KindName } from "./Resource.ts"

/**
 * Checks untrusted JSON against a Schema of this package and hands back that value: these Schemas transform nothing, so fields
 * that they do not model survive.
 *
 * As in Go, what is absent or null is its zero value and no fault: whether a required field was given is a question for
 * validation (422), after defaulting. A field of the wrong JSON type, a bad quantity or a bad time is a fault (400).
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

/** As `decodeWire`, for an object of a known kind; apiVersion and kind may be left out. */
export const decodeObject = <K extends KindName>(
  kind: K,
  input: unknown
): Effect.Effect<ObjectOf<K>, Schema.SchemaError> => {
  const decoder = (decoders.get(kind) as Decoder<K> | undefined) ?? decodeWire(schemas[kind])
  decoders.set(kind, decoder)
  return decoder(input)
}

const decodeListShape = decodeWire(
  Schema.Struct({ metadata: ListMeta, items: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

/** A list as an API server answers it. Servers leave apiVersion and kind out of the items; here they have them. */
export const decodeList = <K extends KindName>(kind: K, input: unknown): Effect.Effect<ListOf<K>, Schema.SchemaError> =>
  Effect.gen(function* () {
    const { items, metadata } = yield* decodeListShape(input)
    const decoded = yield* Effect.forEach(items, (item) => decodeObject(kind, item))
    return { apiVersion: apiVersionOf(kind), kind: `${kind}List`, metadata, items: decoded }
  })
