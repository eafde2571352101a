import type { Table } from "../Table.ts"

/** The kinds of metadata-only requests. Upstream: apimachinery/pkg/apis/meta/v1/generated.proto. Notation: ../Table.ts. */
export const partialMetadata: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "meta.k8s.io",
  text: `
PartialObjectMetadata kind # The metadata of an object of any kind.
  metadata 1 ObjectMeta &
PartialObjectMetadataList kind # A list of the metadata of objects of any kind.
  metadata 1 ListMeta &
  items 2 []PartialObjectMetadata !
`
}

/** The list numbers its fields the other way round. Upstream: apimachinery/pkg/apis/meta/v1beta1/generated.proto. Notation: ../Table.ts. */
export const partialMetadataV1beta1: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1beta1",
  group: "meta.k8s.io",
  text: `
PartialObjectMetadata kind # The metadata of an object of any kind.
  metadata 1 meta.ObjectMeta &
PartialObjectMetadataList kind # A list of the metadata of objects of any kind.
  items 1 []meta.PartialObjectMetadata !
  metadata 2 meta.ListMeta &
`
}
