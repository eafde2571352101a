import type { Table } from "../Table.ts"

/**
 * The kinds of metadata-only requests. Upstream: apimachinery/pkg/apis/meta/v1/generated.proto.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const partialMetadata: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "meta.k8s.io",
  messages: `
PartialObjectMetadata kind # The metadata of an object of any kind.
  metadata 1 ObjectMeta byValue
PartialObjectMetadataList kind # A list of the metadata of objects of any kind.
  metadata 1 ListMeta byValue
  items 2 []PartialObjectMetadata required
`
}

/** The list numbers its fields the other way round. Upstream: apimachinery/pkg/apis/meta/v1beta1/generated.proto. */
export const partialMetadataV1beta1: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1beta1",
  group: "meta.k8s.io",
  messages: `
PartialObjectMetadata kind # The metadata of an object of any kind.
  metadata 1 meta.ObjectMeta byValue
PartialObjectMetadataList kind # A list of the metadata of objects of any kind.
  items 1 []meta.PartialObjectMetadata required
  metadata 2 meta.ListMeta byValue
`
}
