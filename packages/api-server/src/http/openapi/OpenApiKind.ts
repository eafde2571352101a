import type { Resource } from "@rollcall/api"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { KindDefinition } from "../../core/registry/KindDefinition.ts"

/** JSON of a document. */
export type Json = Readonly<Record<string, unknown>>

/** Told of a schema that a document cannot show, by its name, and why. */
export type OnOddSchema = (name: string, error: unknown) => void

export interface Gvk {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** What the documents say of a kind that is served. */
export interface OpenApiKind extends Gvk {
  readonly plural: string
  readonly namespaced: boolean
  /** Of built-in kinds: their fields. Of custom resources: the schema that their definition gave. */
  readonly shape: { readonly type: MessageType } | { readonly schema: Json }
  readonly subresources: ReadonlyArray<OpenApiSubresource>
  /** The kind of options of its `proxy` subresource. */
  readonly proxyOptions?: string
  /** Reviews are only created: nothing is kept that could be read. */
  readonly createOnly?: boolean
}

export interface OpenApiSubresource {
  readonly name: string
  /** Another kind than the main resource's: `Eviction` of pods/eviction. */
  readonly gvk?: Gvk
  /** Only POST. */
  readonly createOnly?: boolean
}

const kindOfSubresource: Readonly<Record<string, OpenApiSubresource>> = {
  scale: { name: "scale", gvk: { group: "autoscaling", version: "v1", kind: "Scale" } },
  eviction: { name: "eviction", gvk: { group: "policy", version: "v1", kind: "Eviction" }, createOnly: true },
  binding: { name: "binding", gvk: { group: "", version: "v1", kind: "Binding" }, createOnly: true }
}

/**
 * A kind of the registry's table; undefined where its fields are known from nowhere. `schema` is what the definition of a
 * custom resource says, where it says it as a schema.
 */
export const openApiKindOf = (
  definition: Pick<KindDefinition, "resource" | "schema" | "subresources" | "message" | "proxyOptions">,
  schema: Json | undefined = definition.schema
): OpenApiKind | undefined => {
  const { group, kind, namespaced, plural, version } = definition.resource
  const type = definition.message ?? wireTypeOfGvk({ group, version, kind })
  const shape = schema !== undefined ? { schema } : type === undefined ? undefined : { type }
  if (shape === undefined) return undefined
  const subresources = [...definition.subresources].map((name) => kindOfSubresource[name] ?? { name })
  const { proxyOptions } = definition
  const proxy = proxyOptions === undefined ? {} : { proxyOptions }
  return { group, version, kind, plural, namespaced, shape, subresources, ...proxy }
}

/** A kind that is only ever posted, such as a review: a virtual resource of the server. */
export const openApiKindOfVirtual = (resource: Resource): OpenApiKind | undefined => {
  const { group, kind, namespaced, plural, version } = resource
  const type = wireTypeOfGvk({ group, version, kind })
  if (type === undefined) return undefined
  return { group, version, kind, plural, namespaced, shape: { type }, subresources: [], createOnly: true }
}

/** The path of a group version, as the documents are named: `api/v1`, `apis/apps/v1`. */
export const groupVersionPath = ({ group, version }: Pick<Gvk, "group" | "version">): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`

/** How a custom resource's schema is called: `com.example.rollcall.v1.Pin`. */
export const customName = ({ group, kind, version }: Gvk): string =>
  [...group.split(".").reverse(), version, kind].join(".")

/** How the schema of a kind is called. */
export const schemaName = (kind: OpenApiKind): string =>
  "type" in kind.shape ? kind.shape.type.fullName : customName(kind)
