import type { Table } from "../Table.ts"

/**
 * The documents in which a server says what it serves. Upstream: apimachinery/pkg/apis/meta/v1/generated.proto.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`4.1` is field 1 of
 * the struct that is embedded as field 4), type and options. See ../Table.ts.
 */
export const groupDocuments: Table = {
  package: "io.k8s.apimachinery.pkg.apis.meta.v1",
  group: "",
  messages: `
APIGroup kind # The versions of a group.
  name 1 string required
  versions 2 []GroupVersionForDiscovery required
  preferredVersion 3 GroupVersionForDiscovery byValue
  serverAddressByClientCIDRs 4 []ServerAddressByClientCIDR
APIGroupList kind # The groups of a server.
  groups 1 []APIGroup required
APIResource # A resource of a version.
  name 1 string required
  singularName 6 string required
  namespaced 2 bool required
  group 8 string
  version 9 string
  kind 3 string required
  verbs 4.1 []string required listType=none
  shortNames 5 []string
  categories 7 []string
  storageVersionHash 10 string
APIResourceList kind # The resources of a version.
  groupVersion 1 string required
  resources 2 []APIResource required
APIVersions kind # The versions of the core group.
  versions 1 []string required
  serverAddressByClientCIDRs 2 []ServerAddressByClientCIDR required
GroupVersionForDiscovery # A version of a group.
  groupVersion 1 string required
  version 2 string required
ServerAddressByClientCIDR # The address of a server for some clients.
  clientCIDR 1 string required
  serverAddress 2 string required
WatchEvent # A change of an object, as a watch sends it.
  type 1 string required
  object 2 RawExtension byValue required
`
}

/** Aggregated discovery. Upstream: api/apidiscovery/v2/generated.proto. */
export const aggregatedDiscovery: Table = {
  package: "io.k8s.api.apidiscovery.v2",
  group: "apidiscovery.k8s.io",
  messages: `
APIGroupDiscovery # The versions of a group with their resources.
  metadata 1 meta.ObjectMeta byValue
  versions 2 []APIVersionDiscovery
APIGroupDiscoveryList kind # What a server serves, in one document.
  metadata 1 meta.ListMeta byValue
  items 2 []APIGroupDiscovery required
APIResourceDiscovery # A resource of a version.
  resource 1 string required
  responseKind 2 ResponseKind
  scope 3 string required
  singularResource 4 string required
  verbs 5 []string required
  shortNames 6 []string
  categories 7 []string
  subresources 8 []APISubresourceDiscovery
APISubresourceDiscovery # A part of a resource with a path of its own.
  subresource 1 string required
  responseKind 2 ResponseKind
  acceptedTypes 3 []ResponseKind
  verbs 4 []string required
APIVersionDiscovery # A version of a group with its resources.
  version 1 string required
  resources 2 []APIResourceDiscovery
  freshness 3 string
ResponseKind # A kind of answers. Upstream names the message GroupVersionKind.
  group 1 string required
  version 2 string required
  kind 3 string required
`
}
