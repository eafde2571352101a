import type { Resource } from "@rollcall/api"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { KindDefinition } from "../../core/registry/KindDefinition.ts"

/** A JSON object in a document. */
export type Json = Readonly<Record<string, unknown>>

/** Called with the name of a schema that a document cannot contain, and the reason. */
export type OnInvalidSchema = (name: string, error: unknown) => void

export interface Gvk {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** A served kind, as the documents describe it. */
export interface OpenApiKind extends Gvk {
  readonly plural: string
  readonly namespaced: boolean
  /** For built-in kinds their wire type; for custom resources the schema of their definition. */
  readonly shape: { readonly type: MessageType } | { readonly schema: Json }
  readonly subresources: ReadonlyArray<OpenApiSubresource>
  /** The kind of the options of its `proxy` subresource. */
  readonly proxyOptions?: string
  /** Whether it supports only POST, as reviews do: nothing is stored that could be read. */
  readonly createOnly?: boolean
}

export interface OpenApiSubresource {
  readonly name: string
  /** Its kind, if that is not the main resource's: `Eviction` of pods/eviction. */
  readonly gvk?: Gvk
  /** Whether it supports only POST. */
  readonly createOnly?: boolean
}

const kindOfSubresource: Readonly<Record<string, OpenApiSubresource>> = {
  scale: { name: "scale", gvk: { group: "autoscaling", version: "v1", kind: "Scale" } },
  eviction: { name: "eviction", gvk: { group: "policy", version: "v1", kind: "Eviction" }, createOnly: true },
  binding: { name: "binding", gvk: { group: "", version: "v1", kind: "Binding" }, createOnly: true }
}

/**
 * Returns the description of a kind; undefined if its fields are unknown. `schema` is the schema of a custom
 * resource's definition, if it has one.
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

/** Returns a kind that supports only POST, such as a review: a virtual resource of the server. */
export const openApiKindOfVirtual = (resource: Resource): OpenApiKind | undefined => {
  const { group, kind, namespaced, plural, version } = resource
  const type = wireTypeOfGvk({ group, version, kind })
  if (type === undefined) return undefined
  return { group, version, kind, plural, namespaced, shape: { type }, subresources: [], createOnly: true }
}

/** Returns the path of a group version, the name of its document: `api/v1`, `apis/apps/v1`. */
export const groupVersionPath = ({ group, version }: Pick<Gvk, "group" | "version">): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`

/** Returns the name of a custom resource's schema: `com.example.rollcall.v1.Pin`. */
export const customName = ({ group, kind, version }: Gvk): string =>
  [...group.split(".").reverse(), version, kind].join(".")

/** Returns the name of a kind's schema. */
export const schemaName = (kind: OpenApiKind): string =>
  "type" in kind.shape ? kind.shape.type.fullName : customName(kind)
