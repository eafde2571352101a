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

type NamesOf<Kind extends string> = readonly [kind: Kind, group: string, plural: string, ...shortNames: Array<string>]

const resourceFrom = <const Kind extends string>(
  isNamespaced: boolean,
  [kind, group, plural, ...shortNames]: NamesOf<Kind>
): Resource<Kind> => ({
  kind,
  group,
  version: "v1",
  plural,
  singular: kind.toLowerCase(),
  shortNames,
  namespaced: isNamespaced
})

const namespaced = <const Kind extends string>(...names: NamesOf<Kind>): Resource<Kind> => resourceFrom(true, names)

const clusterScoped = <const Kind extends string>(...names: NamesOf<Kind>): Resource<Kind> => resourceFrom(false, names)

const inCategory = <Kind extends string>(category: string, described: Resource<Kind>): Resource<Kind> => ({
  ...described,
  categories: [category]
})

const RBAC = "rbac.authorization.k8s.io"
const FLOW_CONTROL = "flowcontrol.apiserver.k8s.io"

/** The kinds that the modelled API serves. Source: each group's register.go and REST storage. */
export const resources = {
  Node: clusterScoped("Node", "", "nodes", "no"),
  Pod: inCategory("all", namespaced("Pod", "", "pods", "po")),
  Namespace: clusterScoped("Namespace", "", "namespaces", "ns"),
  Event: namespaced("Event", "", "events", "ev"),
  ConfigMap: namespaced("ConfigMap", "", "configmaps", "cm"),
  Secret: namespaced("Secret", "", "secrets"),
  ServiceAccount: namespaced("ServiceAccount", "", "serviceaccounts", "sa"),
  Lease: namespaced("Lease", "coordination.k8s.io", "leases"),
  PriorityClass: clusterScoped("PriorityClass", "scheduling.k8s.io", "priorityclasses", "pc"),
  FlowSchema: clusterScoped("FlowSchema", FLOW_CONTROL, "flowschemas"),
  PriorityLevelConfiguration: clusterScoped("PriorityLevelConfiguration", FLOW_CONTROL, "prioritylevelconfigurations"),
  ReplicaSet: inCategory("all", namespaced("ReplicaSet", "apps", "replicasets", "rs")),
  Deployment: inCategory("all", namespaced("Deployment", "apps", "deployments", "deploy")),
  DaemonSet: inCategory("all", namespaced("DaemonSet", "apps", "daemonsets", "ds")),
  StatefulSet: inCategory("all", namespaced("StatefulSet", "apps", "statefulsets", "sts")),
  Job: inCategory("all", namespaced("Job", "batch", "jobs")),
  PodDisruptionBudget: namespaced("PodDisruptionBudget", "policy", "poddisruptionbudgets", "pdb"),
  VolumeAttachment: clusterScoped("VolumeAttachment", "storage.k8s.io", "volumeattachments"),
  CSINode: clusterScoped("CSINode", "storage.k8s.io", "csinodes"),
  Service: inCategory("all", namespaced("Service", "", "services", "svc")),
  Endpoints: namespaced("Endpoints", "", "endpoints", "ep"),
  EndpointSlice: namespaced("EndpointSlice", "discovery.k8s.io", "endpointslices"),
  PersistentVolume: clusterScoped("PersistentVolume", "", "persistentvolumes", "pv"),
  PersistentVolumeClaim: namespaced("PersistentVolumeClaim", "", "persistentvolumeclaims", "pvc"),
  StorageClass: clusterScoped("StorageClass", "storage.k8s.io", "storageclasses", "sc"),
  CSIDriver: clusterScoped("CSIDriver", "storage.k8s.io", "csidrivers"),
  CSIStorageCapacity: namespaced("CSIStorageCapacity", "storage.k8s.io", "csistoragecapacities"),
  VolumeAttributesClass: clusterScoped("VolumeAttributesClass", "storage.k8s.io", "volumeattributesclasses", "vac"),
  RuntimeClass: clusterScoped("RuntimeClass", "node.k8s.io", "runtimeclasses"),
  ControllerRevision: namespaced("ControllerRevision", "apps", "controllerrevisions"),
  Role: namespaced("Role", RBAC, "roles"),
  ClusterRole: clusterScoped("ClusterRole", RBAC, "clusterroles"),
  RoleBinding: namespaced("RoleBinding", RBAC, "rolebindings"),
  ClusterRoleBinding: clusterScoped("ClusterRoleBinding", RBAC, "clusterrolebindings"),
  CustomResourceDefinition: inCategory(
    "api-extensions",
    clusterScoped("CustomResourceDefinition", "apiextensions.k8s.io", "customresourcedefinitions", "crd", "crds")
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
