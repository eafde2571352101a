import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { type ListOf, type ObjectOf, schemas } from "./Kinds.ts"
import { type KubeObject, ListMeta } from "./objects/Meta.ts"
import { apiVersionOf, type KindName } from "./Resource.ts"

const onlyMissingKeys = (issue: SchemaIssue.Issue): boolean => {
  switch (issue._tag) {
    case "MissingKey":
      return true
    case "Composite":
      return issue.issues.every(onlyMissingKeys)
    case "Pointer":
    case "Encoding":
    case "Filter":
      return onlyMissingKeys(issue.issue)
    default:
      return false
  }
}

/**
 * Checks untrusted JSON against a Schema of this package and hands back the very value: these Schemas transform nothing, so
 * fields that they do not model survive.
 *
 * As in Go, a missing field is its zero value and not a decoding fault: whether a required field is there is a question for
 * validation (422), after defaulting. A field of the wrong JSON type is a fault (400).
 */
export const decodeWire = <A>(
  schema: Schema.Codec<A, unknown>
): ((input: unknown) => Effect.Effect<A, Schema.SchemaError>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (input) =>
    decode(input).pipe(
      Effect.as(input as A),
      Effect.catchTag("SchemaError", (error) =>
        onlyMissingKeys(error.issue) ? Effect.succeed(input as A) : Effect.fail(error)
      )
    )
}

type Decoders = { readonly [K in KindName]: (input: unknown) => Effect.Effect<ObjectOf<K>, Schema.SchemaError> }

const decoders = Object.fromEntries(
  Object.entries(schemas).map(([kind, schema]) => [kind, decodeWire<KubeObject>(schema)])
) as { readonly [K in KindName]: Decoders[K] }

/** As `decodeWire`, for an object of a kind that is known. */
export const decodeObject = <K extends KindName>(
  kind: K,
  input: unknown
): Effect.Effect<ObjectOf<K>, Schema.SchemaError> => decoders[kind](input)

const decodeListShape = Schema.decodeUnknownEffect(
  Schema.Struct({ metadata: Schema.optionalKey(ListMeta), items: Schema.NullOr(Schema.Array(Schema.Unknown)) })
)

/** A list as an API server answers it. Servers leave apiVersion and kind out of the items; here they have them. */
export const decodeList = <K extends KindName>(kind: K, input: unknown): Effect.Effect<ListOf<K>, Schema.SchemaError> =>
  Effect.gen(function* () {
    const { items, metadata } = yield* decodeListShape(input)
    const apiVersion = apiVersionOf(kind)
    const decoded = yield* Effect.forEach(items ?? [], (item) =>
      decodeObject(kind, typeof item === "object" && item !== null ? { apiVersion, kind, ...item } : item)
    )
    return { apiVersion, kind: `${kind}List`, metadata: metadata ?? {}, items: decoded }
  })
