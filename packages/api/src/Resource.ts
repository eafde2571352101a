/** How the API names a kind in paths and on the command line. */
export interface Resource<Kind extends string = string> {
  readonly kind: Kind
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly namespaced: boolean
}

const resource = <const Kind extends string>(
  kind: Kind,
  group: string,
  plural: string,
  namespaced: boolean,
  ...shortNames: ReadonlyArray<string>
): Resource<Kind> => ({ kind, group, version: "v1", plural, singular: kind.toLowerCase(), shortNames, namespaced })

/** The kinds that the modelled API serves, by kind. Source: each group's register.go and REST storage. */
export const resources = {
  Node: resource("Node", "", "nodes", false, "no"),
  Pod: resource("Pod", "", "pods", true, "po"),
  Namespace: resource("Namespace", "", "namespaces", false, "ns"),
  Event: resource("Event", "", "events", true, "ev"),
  ConfigMap: resource("ConfigMap", "", "configmaps", true, "cm"),
  Secret: resource("Secret", "", "secrets", true),
  ServiceAccount: resource("ServiceAccount", "", "serviceaccounts", true, "sa"),
  Lease: resource("Lease", "coordination.k8s.io", "leases", true),
  PriorityClass: resource("PriorityClass", "scheduling.k8s.io", "priorityclasses", false, "pc"),
  ReplicaSet: resource("ReplicaSet", "apps", "replicasets", true, "rs"),
  Deployment: resource("Deployment", "apps", "deployments", true, "deploy"),
  DaemonSet: resource("DaemonSet", "apps", "daemonsets", true, "ds"),
  StatefulSet: resource("StatefulSet", "apps", "statefulsets", true, "sts"),
  Job: resource("Job", "batch", "jobs", true),
  PodDisruptionBudget: resource("PodDisruptionBudget", "policy", "poddisruptionbudgets", true, "pdb"),
  VolumeAttachment: resource("VolumeAttachment", "storage.k8s.io", "volumeattachments", false),
  CSINode: resource("CSINode", "storage.k8s.io", "csinodes", false)
} as const

/** Kinds of the modelled API. */
export type KindName = keyof typeof resources

export const kindNames = Object.keys(resources) as ReadonlyArray<KindName>

export const isKindName = (kind: string): kind is KindName => Object.hasOwn(resources, kind)

export const resourceOf = <K extends KindName>(kind: K): Resource<KindName> => resources[kind]

/** `v1`, `apps/v1`. */
export const apiVersionOf = (kind: KindName): string => {
  const { group, version } = resources[kind]
  return group === "" ? version : `${group}/${version}`
}

/** The kind that a path or a command line names: plural, singular, short name or kind, in any case. */
export const kindOfName = (name: string): KindName | undefined => {
  const lower = name.toLowerCase()
  return kindNames.find((kind) => {
    const { plural, shortNames, singular } = resources[kind]
    return plural === lower || singular === lower || shortNames.includes(lower)
  })
}
