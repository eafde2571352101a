/**
 * What the API has on the wire, type by type: every field with its JSON name, its protobuf number and how patches and
 * server-side apply treat it. The tables beside this file are the one place where that stands; strict decoding, protobuf,
 * OpenAPI and server-side apply all read it. (The Schemas in ../objects say what Rollcall itself reads of an object.)
 */

/** `any` is whatever JSON there is; `RawExtension` and `FieldsV1` are JSON that protobuf carries as bytes. */
export type Scalar =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "Time"
  | "MicroTime"
  | "Duration"
  | "Quantity"
  | "IntOrString"
  | "RawExtension"
  | "FieldsV1"
  | "any"

/**
 * A list that is not a field's own type (the values of a map: `extra` of UserInfo) is in protobuf a message with the
 * elements at 1; `any` is one with the JSON text at 1.
 */
export type WireType =
  | { readonly type: "scalar"; readonly scalar: Scalar }
  | { readonly type: "message"; readonly message: MessageType }
  | {
      readonly type: "list"
      readonly items: WireType
      /** Server-side apply: replaced whole, a set of values, or a map of elements by `keys`. */
      readonly listType: "atomic" | "set" | "map"
      readonly keys: ReadonlyArray<string>
    }
  | { readonly type: "map"; readonly values: WireType; readonly mapType: "granular" | "atomic" }

export interface FieldType {
  /** As in JSON. */
  readonly name: string
  /** In protobuf; 0 where the type has no protobuf form. */
  readonly number: number
  /**
   * Set where Go embeds a struct: protobuf has the field (with all others of that struct) in a message of its own, which
   * stands at this number, while JSON has it side by side with the others.
   */
  readonly embeddedIn?: number
  readonly type: WireType
  /** In OpenAPI's `required`. */
  readonly required: boolean
  /** Go leaves it out of JSON when it has the zero value; a time that it does not leave out is then null. */
  readonly omitEmpty: boolean
  /** A pointer in Go: absent and zero are different things. */
  readonly pointer: boolean
  readonly enum?: ReadonlyArray<string>
  readonly default?: unknown
  /** Tags of strategic merge patch. */
  readonly patchStrategy?: "merge" | "retainKeys" | "merge,retainKeys" | "replace"
  readonly patchMergeKey?: string
  readonly description?: string
}

/** One message (in Go: one struct). */
export interface MessageType {
  /** As OpenAPI has it: `io.k8s.api.core.v1.NodeSpec`. */
  readonly fullName: string
  /** Go's name of the struct: `NodeSpec`. */
  readonly name: string
  /** Go's name of its package in messages: `v1`. */
  readonly goPackage: string
  readonly description?: string
  /** By JSON name, in the order of the Go struct. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** Server-side apply replaces it whole. */
  readonly atomic: boolean
  /** Set where it is a kind: has apiVersion and kind, which are not among its fields. */
  readonly gvk?: { readonly group: string; readonly version: string; readonly kind: string }
  /** Fields that the message does not name are kept (custom resources). */
  readonly preserveUnknown?: boolean
}
