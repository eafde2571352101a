import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/scheduling/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const scheduling: Table = {
  package: "io.k8s.api.scheduling.v1",
  group: "scheduling.k8s.io",
  messages: `
PriorityClass kind hasList # A named priority for pods.
  metadata 1 meta.ObjectMeta byValue
  value 2 int32 noOmitEmpty # The priority as a number: higher numbers are more important.
  globalDefault 3 bool # Whether this is the class of pods that name none.
  description 4 string # The purpose of the class.
  preemptionPolicy 5 string pointer enum=Never|PreemptLowerPriority # Whether pods of this class may preempt others.
`
}
