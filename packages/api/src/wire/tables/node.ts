import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/node/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const node: Table = {
  package: "io.k8s.api.node.v1",
  group: "node.k8s.io",
  messages: `
RuntimeClass kind hasList # A handler of the container runtime, and its resource overhead.
  metadata 1 meta.ObjectMeta byValue
  handler 2 string required
  overhead 3 Overhead
  scheduling 4 Scheduling
Overhead
  podFixed 1 map[string]Quantity
Scheduling
  nodeSelector 1 map[string]string mapType=atomic
  tolerations 2 []core.Toleration
`
}
