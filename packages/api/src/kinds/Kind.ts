import type * as Schema from "effect/Schema"
import type { KubeObject } from "../objects/Meta.ts"
import type { Resource } from "../Resource.ts"
import type { Validation } from "../validation/Validation.ts"

/** What the writer of an accepted object is warned of; `stored` is undefined for a new object. */
export type Warnings<A> = (object: A, stored: A | undefined) => ReadonlyArray<string>

/** The Schema of a kind, which has its group, version and name. */
type KindSchema<A extends KubeObject> = Schema.Codec<A, unknown> & {
  readonly fields: { readonly apiVersion: { readonly literal: string }; readonly kind: { readonly literal: A["kind"] } }
}

/**
 * What is declared of a kind beside its Schema: the row of a kind says only what differs from a kind that is
 * namespaced, has no defaults, and whose writers are warned of nothing.
 */
export interface KindTraits<A extends KubeObject> {
  /** Default: Namespaced. */
  readonly scope?: "Cluster"
  readonly shortNames?: ReadonlyArray<string>
  /** Categories, which select several kinds on the command line: `all`. */
  readonly categories?: ReadonlyArray<string>
  /** If absent, the plural is formed from the kind's name by upstream's rule. */
  readonly plural?: string
  readonly validation: Validation<A>
  /**
   * Sets the fields that a client may omit, before any other code reads the object. An object that lacks nothing is
   * returned unchanged. Fields that admission and the strategies set (service account, priority, generation) are not
   * included.
   */
  readonly defaults?: (object: A) => A
  /** Why Go cannot convert an object to its internal form: a field that it reads from an annotation has no valid value. */
  readonly conversionFault?: (object: A) => string | undefined
  readonly warnings?: Warnings<A>
  /** The warnings for writes of the status. */
  readonly statusWarnings?: Warnings<A>
  /**
   * The values for field selectors, by field, besides name and namespace. Upstream: AddFieldLabelConversionFunc calls of
   * pkg/apis, and the GetAttrs of pkg/registry.
   */
  readonly fields?: Readonly<Record<string, (object: A) => string | undefined>>
  /** Old names of fields that are still accepted, with the current ones. */
  readonly renamedFields?: Readonly<Record<string, string>>
  /** The message for a field that is not selectable, where it is not the usual one. */
  readonly fieldFault?: (field: string) => string
}

/** A kind of the API: its names, its form and its rules. */
export interface Kind<A extends KubeObject = KubeObject>
  extends Omit<KindTraits<A>, "scope" | "shortNames" | "plural"> {
  readonly resource: Resource<A["kind"]>
  readonly schema: Schema.Codec<A, unknown>
  readonly defaults: (object: A) => A
}

/** Forms a plural. Upstream: apimachinery/pkg/api/meta/restmapper.go, UnsafeGuessKindToResource. */
const pluralOf = (singular: string): string => {
  if (singular.endsWith("endpoints")) return singular
  if (singular.endsWith("s")) return `${singular}es`
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`
}

const unchanged = <A>(object: A): A => object

/** Declares a kind: its Schema has group, version and name; all other names follow from these and `traits`. */
export const kind = <A extends KubeObject>(schema: KindSchema<A>, traits: KindTraits<A>): Kind<A> => {
  const { plural, scope, shortNames = [], ...rules } = traits
  const { apiVersion, kind: name } = schema.fields
  const slash = apiVersion.literal.indexOf("/")
  const singular = name.literal.toLowerCase()
  return {
    defaults: unchanged,
    ...rules,
    schema,
    resource: {
      kind: name.literal,
      group: apiVersion.literal.slice(0, Math.max(slash, 0)),
      version: apiVersion.literal.slice(slash + 1),
      plural: plural ?? pluralOf(singular),
      singular,
      shortNames,
      namespaced: scope !== "Cluster",
      ...(traits.categories && { categories: traits.categories })
    }
  }
}
