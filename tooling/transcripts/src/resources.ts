const core =
  "pod node namespace event configmap secret serviceaccount service persistentvolume persistentvolumeclaim resourcequota limitrange"

const groups: Readonly<Record<string, string>> = {
  "apps/v1": "deployment replicaset statefulset daemonset",
  "batch/v1": "job",
  "coordination.k8s.io/v1": "lease",
  "policy/v1": "poddisruptionbudget",
  "scheduling.k8s.io/v1": "priorityclass",
  "storage.k8s.io/v1": "volumeattachment csinode storageclass",
  "rbac.authorization.k8s.io/v1": "role rolebinding clusterrole clusterrolebinding",
  "flowcontrol.apiserver.k8s.io/v1": "flowschema prioritylevelconfiguration",
  "node.k8s.io/v1": "runtimeclass",
  "discovery.k8s.io/v1": "endpointslice",
  "events.k8s.io/v1": "event",
  "apiextensions.k8s.io/v1": "customresourcedefinition"
}

const clusterScoped = new Set(
  (
    "node namespace persistentvolume priorityclass volumeattachment csinode storageclass clusterrole clusterrolebinding " +
    "runtimeclass customresourcedefinition flowschema prioritylevelconfiguration"
  ).split(" ")
)

export interface Resource {
  readonly kind: string
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly base: string
  readonly plural: string
  readonly isClusterScoped: boolean
}

const pluralOf = (kind: string): string => (kind.endsWith("ss") ? `${kind}es` : kind.endsWith("s") ? kind : `${kind}s`)

const resourceIn =
  (base: string) =>
  (kind: string): Resource => ({
    kind,
    base,
    plural: pluralOf(kind),
    isClusterScoped: clusterScoped.has(kind)
  })

/** The resources that cases create, core resources first. */
export const resources: ReadonlyArray<Resource> = [
  ...`${core} endpoints`.split(" ").map(resourceIn("/api/v1")),
  ...Object.entries(groups).flatMap(([group, kinds]) => kinds.split(" ").map(resourceIn(`/apis/${group}`)))
]

/** Returns the URL path of a resource's collection. */
export const collectionOf = ({ base, isClusterScoped, plural }: Resource, namespace: string): string =>
  isClusterScoped ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`

/** The resource of an object's kind, at the version that the object names. */
export const resourceOfObject = (apiVersion: string, kind: string, isClusterScoped: boolean): Resource => {
  const known = resourceIn(apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`)(kind.toLowerCase())
  return { ...known, isClusterScoped: known.isClusterScoped || isClusterScoped }
}

/** The resource of a reference: a kind, or `plural.group` of a custom one, served as v1. */
export const resourceOfReference = (kind: string): Resource => {
  const known = resources.find((resource) => resource.kind === kind)
  if (known !== undefined) return known
  const [plural = "", ...group] = kind.split(".")
  return { kind: plural, base: `/apis/${group.join(".")}/v1`, plural, isClusterScoped: false }
}
