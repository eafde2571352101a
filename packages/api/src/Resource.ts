/** The names of a kind in paths and on the command line. */
export interface Resource<Kind extends string = string> {
  readonly kind: Kind
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly namespaced: boolean
  /** Categories, which select several kinds on the command line: `all`. */
  readonly categories?: ReadonlyArray<string>
}

const resource = <const Kind extends string>(
  kind: Kind,
  group: string,
  plural: string,
  namespaced: boolean,
  ...shortNames: ReadonlyArray<string>
): Resource<Kind> => ({ kind, group, version: "v1", plural, singular: kind.toLowerCase(), shortNames, namespaced })

const among = <Kind extends string>(category: string, described: Resource<Kind>): Resource<Kind> => ({
  ...described,
  categories: [category]
})

const RBAC = "rbac.authorization.k8s.io"
const FLOW_CONTROL = "flowcontrol.apiserver.k8s.io"

/** The kinds that the modelled API serves. Source: each group's register.go and REST storage. */
export const resources = {
  Node: resource("Node", "", "nodes", false, "no"),
  Pod: among("all", resource("Pod", "", "pods", true, "po")),
  Namespace: resource("Namespace", "", "namespaces", false, "ns"),
  Event: resource("Event", "", "events", true, "ev"),
  ConfigMap: resource("ConfigMap", "", "configmaps", true, "cm"),
  Secret: resource("Secret", "", "secrets", true),
  ServiceAccount: resource("ServiceAccount", "", "serviceaccounts", true, "sa"),
  Lease: resource("Lease", "coordination.k8s.io", "leases", true),
  PriorityClass: resource("PriorityClass", "scheduling.k8s.io", "priorityclasses", false, "pc"),
  FlowSchema: resource("FlowSchema", FLOW_CONTROL, "flowschemas", false),
  PriorityLevelConfiguration: resource(
    "PriorityLevelConfiguration",
    FLOW_CONTROL,
    "prioritylevelconfigurations",
    false
  ),
  ReplicaSet: among("all", resource("ReplicaSet", "apps", "replicasets", true, "rs")),
  Deployment: among("all", resource("Deployment", "apps", "deployments", true, "deploy")),
  DaemonSet: among("all", resource("DaemonSet", "apps", "daemonsets", true, "ds")),
  StatefulSet: among("all", resource("StatefulSet", "apps", "statefulsets", true, "sts")),
  Job: among("all", resource("Job", "batch", "jobs", true)),
  PodDisruptionBudget: resource("PodDisruptionBudget", "policy", "poddisruptionbudgets", true, "pdb"),
  VolumeAttachment: resource("VolumeAttachment", "storage.k8s.io", "volumeattachments", false),
  CSINode: resource("CSINode", "storage.k8s.io", "csinodes", false),
  Service: among("all", resource("Service", "", "services", true, "svc")),
  Endpoints: resource("Endpoints", "", "endpoints", true, "ep"),
  EndpointSlice: resource("EndpointSlice", "discovery.k8s.io", "endpointslices", true),
  PersistentVolume: resource("PersistentVolume", "", "persistentvolumes", false, "pv"),
  PersistentVolumeClaim: resource("PersistentVolumeClaim", "", "persistentvolumeclaims", true, "pvc"),
  StorageClass: resource("StorageClass", "storage.k8s.io", "storageclasses", false, "sc"),
  CSIDriver: resource("CSIDriver", "storage.k8s.io", "csidrivers", false),
  CSIStorageCapacity: resource("CSIStorageCapacity", "storage.k8s.io", "csistoragecapacities", true),
  VolumeAttributesClass: resource("VolumeAttributesClass", "storage.k8s.io", "volumeattributesclasses", false, "vac"),
  RuntimeClass: resource("RuntimeClass", "node.k8s.io", "runtimeclasses", false),
  ControllerRevision: resource("ControllerRevision", "apps", "controllerrevisions", true),
  Role: resource("Role", RBAC, "roles", true),
  ClusterRole: resource("ClusterRole", RBAC, "clusterroles", false),
  RoleBinding: resource("RoleBinding", RBAC, "rolebindings", true),
  ClusterRoleBinding: resource("ClusterRoleBinding", RBAC, "clusterrolebindings", false),
  CustomResourceDefinition: among(
    "api-extensions",
    resource("CustomResourceDefinition", "apiextensions.k8s.io", "customresourcedefinitions", false, "crd", "crds")
  )
} as const

/** A kind of the modelled API. */
export type KindName = keyof typeof resources

export const kindNames = Object.keys(resources) as ReadonlyArray<KindName>

export const isKindName = (kind: string): kind is KindName => Object.hasOwn(resources, kind)

export const resourceOf = <K extends KindName>(kind: K): Resource<KindName> => resources[kind]

/** Returns `v1` or `apps/v1`. */
export const apiVersionOf = (kind: KindName): string => {
  const { group, version } = resources[kind]
  return group === "" ? version : `${group}/${version}`
}

/** Returns the kind by its plural, singular, short name or kind, ignoring case. */
export const kindOfName = (name: string): KindName | undefined => {
  const lower = name.toLowerCase()
  return kindNames.find((kind) => {
    const { plural, shortNames, singular } = resources[kind]
    return plural === lower || singular === lower || shortNames.includes(lower)
  })
}
