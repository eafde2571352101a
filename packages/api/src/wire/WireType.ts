/**
 * The wire types of the API: every field with its JSON name, its protobuf number and how patches and server-side apply
 * treat it. The tables beside this file are the only source; strict decoding, protobuf, OpenAPI and server-side apply
 * read them. (The Schemas in ../objects describe the fields that Rollcall itself reads.)
 */

/** `any` is arbitrary JSON; `RawExtension` and `FieldsV1` are JSON that protobuf carries as bytes. */
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
 * In protobuf, a list that is not a field's own type (the values of a map: `extra` of UserInfo) is a message with the
 * elements at 1; `any` is a message with the JSON text at 1.
 */
export type WireType =
  | {
      readonly type: "scalar"
      readonly scalar: Scalar
      /** Of an `any` that protobuf has as a message: its name in OpenAPI, and the fields for its alternatives. */
      readonly union?: MessageType
      /** Of an `any` that is an object, of whatever fields. */
      readonly isObject?: boolean
      /** Of an `any` of a custom resource of whose objects no field is known: all are pruned. */
      readonly isPruned?: boolean
      /** Of a text that an object within a custom resource must have as one: apiVersion or kind. */
      readonly isTypeMeta?: boolean
      /** Of a text of a custom resource: server-side apply takes any scalar. */
      readonly isUntyped?: boolean
    }
  | { readonly type: "message"; readonly message: MessageType }
  | {
      readonly type: "list"
      readonly items: WireType
      /** How server-side apply merges the list: as a whole, as a set of values, or as a map of elements by `keys`. */
      readonly listType: "atomic" | "set" | "map"
      readonly keys: ReadonlyArray<string>
    }
  | { readonly type: "map"; readonly values: WireType; readonly mapType: "granular" | "atomic" }

export interface FieldType {
  /** The name in JSON. */
  readonly name: string
  /** The number in protobuf; 0 where the type has no protobuf form. */
  readonly number: number
  /**
   * Set where Go embeds a struct: protobuf has the field, with all others of that struct, in a message of its own at
   * this number, while JSON has it at the level of the other fields. A struct in an embedded struct has two numbers.
   */
  readonly embeddedIn?: ReadonlyArray<number>
  readonly type: WireType
  /** Whether the field is in OpenAPI's `required`. */
  readonly required: boolean
  /** Whether Go omits the zero value in JSON. A zero time that is not omitted is written as null. */
  readonly omitEmpty: boolean
  /** Whether Go has a pointer, so that absent and zero differ. */
  readonly pointer: boolean
  readonly enum?: ReadonlyArray<string>
  readonly default?: unknown
  /** The tags of strategic merge patch. */
  readonly patchStrategy?: "merge" | "retainKeys" | "merge,retainKeys" | "replace"
  readonly patchMergeKey?: string
  /** What OpenAPI says of how it merges where that is not what its type says: nothing, `granular`, or, of bytes, that they are a list. */
  readonly mergeMarker?: "none" | "granular" | "list"
  readonly description?: string
}

/** A message (in Go: a struct). */
export interface MessageType {
  /** The name in OpenAPI: `io.k8s.api.core.v1.NodeSpec`. */
  readonly fullName: string
  /** The name of the Go struct: `NodeSpec`. */
  readonly name: string
  /** The name of its Go package in messages: `v1`. */
  readonly goPackage: string
  readonly description?: string
  /** By JSON name, in the order of the Go struct. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** Whether server-side apply replaces the message as a whole. */
  readonly atomic: boolean
  /** Set for a kind: it has apiVersion and kind, which are not among its fields. */
  readonly gvk?: { readonly group: string; readonly version: string; readonly kind: string }
  /** The Go struct that it embeds, whose fields are those with `embeddedIn`, and the one that this embeds. */
  readonly embeds?: ReadonlyArray<string>
  /** Set if values are one of its fields, or in JSON that field's value itself. */
  readonly isUnion?: boolean
  /** Unknown fields are kept (custom resources). */
  readonly preserveUnknown?: boolean
  /** Whether fields that it has not can be applied, although they are not kept. Upstream: kube-openapi, schemaconv. */
  readonly ownsUnknown?: boolean
}
