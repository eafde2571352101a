import type { MessageType } from "@rollcall/api/wire"
import type { OperationSource } from "./operations.ts"

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
export interface OpenApiKind extends Gvk, OperationSource {
  readonly subresources: ReadonlyArray<OpenApiSubresource>
  readonly isCustom: boolean
  /** For built-in kinds their wire type; for custom resources the schema of their definition. */
  readonly shape: { readonly type: MessageType } | { readonly schema: Json }
  /** The fields of a custom resource that field selectors may name. */
  readonly selectable: ReadonlyArray<string>
  /** Whether a delete is answered with the object. */
  readonly deleteReturnsObject: boolean
}

export interface OpenApiSubresource {
  readonly name: string
  readonly verbs: ReadonlyArray<string>
  readonly isConnected?: boolean
  /** The kind of its bodies: `Eviction` of pods/eviction. */
  readonly gvk: Gvk
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

/** Returns the extension that names the fields for field selectors. */
export const selectableFields = ({ selectable }: OpenApiKind): Json =>
  selectable.length === 0 ? {} : { "x-kubernetes-selectable-fields": selectable.map((fieldPath) => ({ fieldPath })) }
