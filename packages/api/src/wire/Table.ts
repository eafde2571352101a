/**
 * The messages of one API package in a line notation; this comment is its legend. A message starts at the margin; its
 * fields are indented, in the order of the Go struct:
 *
 * ```
 * Message [kind] [list] [atomic] [# description]
 *   field number type [flag …] [# description]
 * ```
 *
 * A message with `kind` has apiVersion and kind. One with `list` also has a list kind, such as PodList. Server-side apply
 * replaces one with `atomic` as a whole. The descriptions are those of OpenAPI and `kubectl explain`.
 *
 * The number is the protobuf field number. `2.3` is field 3 of a Go struct embedded as protobuf field 2, whose fields JSON has
 * at the same level. Types are scalars (see `Scalar` in WireType.ts), messages (`meta.ObjectMeta` is of another package),
 * lists `[]T`, and maps with string keys `{}T`.
 *
 * | flag | meaning |
 * | --- | --- |
 * | `!` | The field is required. |
 * | `*` | Go has a pointer to a scalar. (A message is always a pointer, unless it has `&`.) |
 * | `&` | Go has the message by value, and therefore always encodes it. |
 * | `0` | The field is optional, but Go has no `omitempty` and encodes the zero value. |
 * | `-` | Go omits the zero value, although it encodes that of other fields of this type. |
 * | `set`, `by(a\|b)`, `atomic` | Server-side apply merges the list as a set, or as a map with these keys; or replaces the map as a whole. Without a flag it replaces lists as a whole and merges maps by key. |
 * | `merge`, `merge(key)`, `retainKeys`, `replace` | The patchStrategy of strategic merge patch, and its patchMergeKey. |
 * | `enum(A\|B)`, `enum(@Name)` | The allowed values, or their name in enums.ts. |
 * | `=value` | The default in OpenAPI; `=` alone is the empty string. |
 */
export interface Table {
  /** The prefix in OpenAPI: `io.k8s.api.core.v1`. */
  readonly package: string
  readonly group: string
  readonly text: string
}
