import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/autoscaling/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const autoscaling: Table = {
  package: "io.k8s.api.autoscaling.v1",
  group: "autoscaling",
  messages: `
Scale kind # The desired and the actual number of pods of a workload.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ScaleSpec byValue
  status 3 ScaleStatus byValue
ScaleSpec
  replicas 1 int32 default=0
ScaleStatus
  replicas 1 int32 required
  selector 2 string
`
}
