/**
 * The messages of one API package, one line each for a message and for a field. A message starts at the margin; its fields
 * are indented, in the order of the Go struct:
 *
 * ```
 * Message [kind] [hasList] [structType=atomic] [embeds=Struct] [union] [undescribed] [# description]
 *   field number type [option …] [# description]
 * ```
 *
 * A message with `kind` has apiVersion and kind. One with `hasList` also has a list kind, such as PodList. Server-side apply
 * replaces one with `structType=atomic` as a whole. A `union` is what JSON has as the value of one of its fields. The fields
 * of one that is `undescribed` have no description unless their line has one. The descriptions are those of OpenAPI and `kubectl explain`.
 *
 * The number is the protobuf field number. `2.3` is field 3 of a Go struct embedded as protobuf field 2, whose fields JSON has
 * at the same level; the message names that struct (`embeds=VolumeSource`), because errors do. `2.2.1` is field 1 of a struct in
 * an embedded struct (`embeds=RuleWithOperations.Rule`). Types are scalars (see `Scalar` in WireType.ts), messages (`meta.ObjectMeta` is of another package),
 * lists `[]T`, and maps `map[string]T`.
 *
 * | option | meaning |
 * | --- | --- |
 * | `required` | The field is in OpenAPI's `required`. |
 * | `pointer` | Go has a pointer to a scalar. (A message is always a pointer, unless it has `byValue`.) |
 * | `byValue` | Go has the message by value, and therefore always encodes it. |
 * | `noOmitEmpty` | The field is optional, but Go's JSON tag has no `omitempty`: the zero value is encoded. |
 * | `omitEmpty` | The field is required, but Go's JSON tag has `omitempty`: the zero value is not encoded. |
 * | `undescribed` | The field has no description in OpenAPI. |
 * | `omitZero` | Go's JSON tag has `omitzero`: the zero value is omitted, although that of other fields of this type is encoded. |
 * | `listType=set`, `listType=map`, `listMapKeys=A,B` | Server-side apply merges the list as a set, or as a map of elements with these keys. Without this option it replaces lists as a whole; with `listType=none` OpenAPI does not say so. |
 * | `mapType=atomic` | Server-side apply replaces the map as a whole. Without this option it merges maps by key; with `mapType=granular` OpenAPI says so. |
 * | `patchStrategy=merge`, `retainKeys`, `merge,retainKeys` or `replace`; `patchMergeKey=key` | The tags of strategic merge patch. |
 * | `enum=A\|B`, `namedEnum=Name` | The allowed values, or their name in enums.ts. |
 * | `default=value` | The default in OpenAPI; `default=""` is the empty string. |
 */
export interface Table {
  /** The prefix in OpenAPI: `io.k8s.api.core.v1`. */
  readonly package: string
  readonly group: string
  /** The messages with their fields, in the notation above. */
  readonly messages: string
}
