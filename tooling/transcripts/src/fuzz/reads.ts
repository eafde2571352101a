import type { Random } from "./Random.ts"
import { collectionOf, type Resource } from "./Resource.ts"
import type { Step } from "./writes.ts"

const accepts = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=APIGroup;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1;g=meta.k8s.io;q=0.5,application/yaml",
  "application/yaml;as=Table;v=v1;g=meta.k8s.io",
  "application/json;pretty=1",
  "application/json;stream=watch",
  "application/json;g=meta.k8s.io",
  "application/*",
  "application/cbor",
  "application/json;q=0",
  "bad",
  "",
  "text/html",
  "*/*"
] as const

const selectors = [
  "labelSelector=app%3Da",
  "labelSelector=app%21%3Da,x",
  "labelSelector=app%20in%20(a,b)",
  "labelSelector=%21app",
  "labelSelector=%21%21",
  "labelSelector=a%3Eb",
  "labelSelector=in",
  "labelSelector=app%20notin%20(a),app",
  "labelSelector=app%20in%20()",
  "labelSelector=app%20in%20(a",
  "labelSelector=app%3D%3Da",
  "labelSelector=app%3D",
  "labelSelector=app%3E1,app%3C5",
  "labelSelector=a/b/c%3Dd",
  "labelSelector=-a%3Db",
  "labelSelector=a%3Db%20c",
  "labelSelector=,",
  "labelSelector=a%3D-",
  "labelSelector=%7Ex",
  "labelSelector=app%3Da&labelSelector=app%3Db",
  "fieldSelector=a%3D%3Db,",
  "fieldSelector=metadata.name%3Da%5C,b",
  "fieldSelector=metadata.name%3Da%5Cb",
  "fieldSelector=,",
  "fieldSelector=%3Da",
  "fieldSelector=metadata.name%20in%20(a)",
  "fieldSelector=spec.nodeName%3D",
  "fieldSelector=metadata.namespace%3Dother",
  "fieldSelector=metadata.name%3D%3Dx&fieldSelector=spec.x%3D1",
  "fieldSelector=metadata.name%3Dx",
  "fieldSelector=metadata.name%21%3Dx,metadata.namespace%3Dfuzz",
  "fieldSelector=spec.x%3D1",
  "fieldSelector=metadata.name",
  "fieldSelector=status.phase%3DPending",
  "fieldSelector=type%3DNormal"
]

const pages = [
  "limit=-1",
  "limit=1",
  "limit=abc",
  "continue=abc",
  "limit=1&continue=",
  "limit=0",
  "limit=1&limit=x",
  "limit=1.5",
  "limit=9223372036854775808",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
  "continue=eyJ2IjoieCJ9",
  "continue=abc&resourceVersion=1",
  "limit=500&resourceVersion=0"
]

const revisions = [
  "resourceVersion=abc",
  "resourceVersion=0",
  "resourceVersion=1",
  "resourceVersion=-1",
  "resourceVersionMatch=Exact",
  "resourceVersionMatch=NotOlderThan&resourceVersion=0",
  "resourceVersionMatch=Exact&resourceVersion=0",
  "resourceVersionMatch=x&resourceVersion=1",
  "resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=NotOlderThan&resourceVersion=x",
  "resourceVersionMatch=Exact&resourceVersion=1&limit=1",
  "resourceVersion=99999999999&timeout=1s",
  "resourceVersion=18446744073709551616",
  "resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x"
]

const others = [
  "timeoutSeconds=x",
  "includeObject=Object",
  "includeObject=None",
  "pretty=1",
  "sendInitialEvents=true",
  "watch=0",
  "watch=x&timeoutSeconds=1",
  "watch=",
  "allowWatchBookmarks=x",
  "timeout=x",
  "timeoutSeconds=99999999999",
  "includeObject=x",
  "includeObject=Metadata",
  "shardSelector=x",
  "export=true"
]

const optionGroups = [selectors, selectors, pages, revisions, others]

/** Kinds of which a server has objects of its own, with what selects all others. */
export const ownObjects: Readonly<Record<string, string>> = {
  ClusterRole: "labelSelector=%21kubernetes.io/bootstrapping",
  ClusterRoleBinding: "labelSelector=%21kubernetes.io/bootstrapping",
  PriorityClass: "fieldSelector=metadata.name%21%3Dsystem-node-critical,metadata.name%21%3Dsystem-cluster-critical",
  ServiceAccount: "fieldSelector=metadata.name%21%3Ddefault",
  Namespace: `fieldSelector=${["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => `metadata.name%21%3D${name}`).join(",")}`,
  ServiceCIDR: "fieldSelector=metadata.name%21%3Dkubernetes",
  // Addresses that are not allocated are reported.
  Event: "fieldSelector=reportingComponent%3D"
}

/** Watches of the object, which begin with it: events of a later time would be a race. */
const watches = [
  "resourceVersion=0",
  "resourceVersion=",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
  "allowWatchBookmarks=true"
]

const watchTypes = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;stream=watch",
  "application/yaml",
  "*/*"
]

/** Selectors of labels, with which a watch of the object shows it or not. */
const labelSelectors = selectors.filter((selector) => selector.startsWith("labelSelector"))

const watchOf = (random: Random, resource: Resource, path: string): Step => {
  const name = path.split("/").at(-1) ?? ""
  const selector = random.chance(0.4) ? `&${random.pick(labelSelectors)}` : ""
  const query = `watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}&${random.pick(watches)}${selector}`
  const headers = { Accept: random.pick(watchTypes) }
  return { label: "WATCH", question: { method: "GET", path: `${collectionOf(resource)}?${query}`, headers } }
}

/** What makes a request that of another user, or fails to. */
const impersonations: ReadonlyArray<Readonly<Record<string, string>>> = [
  { "Impersonate-User": "jane" },
  { "Impersonate-User": "jane", "Impersonate-Group": "system:masters" },
  { "Impersonate-User": "system:serviceaccount:fuzz:default" },
  { "Impersonate-User": "system:node:n" },
  { "Impersonate-User": "system:anonymous" },
  { "Impersonate-User": "" },
  { "Impersonate-Group": "system:masters" },
  { "Impersonate-Uid": "1" },
  { "Impersonate-User": "jane", "Impersonate-Uid": "1", "Impersonate-Extra-Scopes%2fa": "b" },
  { "Impersonate-Extra-Scopes": "a" }
]

/** Returns a GET, a list or a watch. */
export const read = (random: Random, resource: Resource, path: string): Step => {
  if (random.chance(0.05)) return watchOf(random, resource, path)
  if (random.chance(0.04))
    return { label: "GET as", question: { method: "GET", path, headers: random.pick(impersonations) } }
  const isList = random.chance(0.5)
  const headers = { Accept: random.pick(accepts) }
  const given = random.chance(0.6) ? [random.pick(random.pick(optionGroups))] : []
  const own = isList ? ownObjects[resource.kind] : undefined
  const isSelected = own !== undefined && !given.some((each) => each.startsWith(own.slice(0, own.indexOf("="))))
  const options = isSelected ? [...given, own] : given
  if (own !== undefined && !isSelected) return { label: "GET", question: { method: "GET", path, headers } }
  const at = isList ? collectionOf(resource) : path
  const query = options.length === 0 ? "" : `?${options.join("&")}`
  return { label: isList ? "LIST" : "GET", question: { method: "GET", path: at + query, headers } }
}
