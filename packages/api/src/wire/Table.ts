/**
 * The messages of one API package as text. A message starts at the margin; its fields are indented, in the order of the
 * Go struct:
 *
 * ```
 * Message [kind] [list] [atomic] [# description]
 *   field number type [flag …] [# description]
 * ```
 *
 * `kind`: it has apiVersion and kind. `list`: it also has a list. `atomic`: server-side apply replaces it as a whole.
 *
 * A number `2.3` is field 3 of the message that protobuf has at 2, where JSON has the fields side by side (a struct that Go
 * embeds). Types are scalars, messages (`meta.ObjectMeta` from another package), `[]T` and `{}T`.
 *
 * | flag | |
 * | --- | --- |
 * | `!` | required |
 * | `*` | a pointer to a scalar (messages are pointers unless `&` says otherwise) |
 * | `&` | a message by value: Go always writes it |
 * | `0` | optional, and yet Go writes the zero value |
 * | `-` | Go leaves it out when zero, although its kind of type is otherwise always written |
 * | `set`, `by(a\|b)`, `atomic` | how server-side apply merges a list or a map; lists are atomic and maps granular without |
 * | `merge`, `merge(key)`, `retainKeys`, `replace` | tags of strategic merge patch |
 * | `enum(A\|B)`, `enum(@Named)` | the values there are |
 * | `=value` | the default in OpenAPI; `=` alone is the empty text |
 */
export interface Table {
  /** The prefix in OpenAPI: `io.k8s.api.core.v1`. */
  readonly package: string
  readonly group: string
  readonly text: string
}
