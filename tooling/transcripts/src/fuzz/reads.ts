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
  "fieldSelector=metadata.name%3Dx",
  "fieldSelector=metadata.name%21%3Dx,metadata.namespace%3Dfuzz",
  "fieldSelector=spec.x%3D1",
  "fieldSelector=metadata.name",
  "fieldSelector=status.phase%3DPending",
  "fieldSelector=type%3DNormal"
]

const pages = ["limit=-1", "limit=1", "limit=abc", "continue=abc", "limit=1&continue=", "limit=500&resourceVersion=0"]

const revisions = [
  "resourceVersion=abc",
  "resourceVersion=0",
  "resourceVersion=1",
  "resourceVersion=-1",
  "resourceVersionMatch=Exact",
  "resourceVersionMatch=NotOlderThan&resourceVersion=0",
  "resourceVersionMatch=Exact&resourceVersion=0",
  "resourceVersionMatch=x&resourceVersion=1"
]

const others = ["timeoutSeconds=x", "includeObject=Object", "includeObject=None", "pretty=1", "sendInitialEvents=true"]

const optionGroups = [selectors, selectors, pages, revisions, others]

/** Kinds of which a server has objects of its own, with what selects all others. */
const ownObjects: Readonly<Record<string, string>> = {
  ClusterRole: "labelSelector=%21kubernetes.io/bootstrapping",
  ClusterRoleBinding: "labelSelector=%21kubernetes.io/bootstrapping",
  PriorityClass: "fieldSelector=metadata.name%21%3Dsystem-node-critical,metadata.name%21%3Dsystem-cluster-critical",
  ServiceAccount: "fieldSelector=metadata.name%21%3Ddefault",
  // Addresses that are not allocated are reported.
  Event: "fieldSelector=reportingComponent%3D"
}

/** Returns a GET or a list. */
export const read = (random: Random, resource: Resource, path: string): Step => {
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
