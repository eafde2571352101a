import type { KindName } from "../Resource.ts"

/**
 * How a field takes a strategic patch: the patchStrategy and patchMergeKey tags of the Go types. A field that is not listed
 * has no tag: a map merges member by member, a list is replaced whole.
 *
 * Upstream: staging/src/k8s.io/api/{core,apps,batch,policy,storage}/v1/types.go, apimachinery/pkg/apis/meta/v1/types.go.
 */
export interface FieldMeta {
  /** The struct of the field, or of the list's elements, where that has tags of its own further down. */
  readonly struct?: StructMeta
  readonly strategy?: "merge" | "replace"
  /** The member by which elements of a merging list are the same; none for lists of scalars. */
  readonly mergeKey?: string
  /** Diffs name the members to keep, because only some of them may be set together. */
  readonly retainKeys?: true
}

export interface StructMeta {
  readonly [field: string]: FieldMeta
}

const struct = (meta: StructMeta): FieldMeta => ({ struct: meta })
const set: FieldMeta = { strategy: "merge" }
const mergeBy = (mergeKey: string, meta?: StructMeta): FieldMeta => ({
  strategy: "merge",
  mergeKey,
  ...(meta === undefined ? {} : { struct: meta })
})
const unionsBy = (mergeKey: string): FieldMeta => ({ strategy: "merge", mergeKey, retainKeys: true })

const objectMeta: StructMeta = { ownerReferences: mergeBy("uid"), finalizers: set }

const container: StructMeta = {
  ports: mergeBy("containerPort"),
  env: mergeBy("name"),
  volumeMounts: mergeBy("mountPath"),
  volumeDevices: mergeBy("devicePath")
}

const podSpec: StructMeta = {
  volumes: unionsBy("name"),
  initContainers: mergeBy("name", container),
  containers: mergeBy("name", container),
  ephemeralContainers: mergeBy("name", container),
  imagePullSecrets: mergeBy("name"),
  hostAliases: mergeBy("ip"),
  topologySpreadConstraints: mergeBy("topologyKey"),
  schedulingGates: mergeBy("name"),
  resourceClaims: unionsBy("name")
}

const podStatus: StructMeta = {
  conditions: mergeBy("type"),
  hostIPs: mergeBy("ip"),
  podIPs: mergeBy("ip"),
  resourceClaimStatuses: unionsBy("name")
}

const podTemplate: StructMeta = { metadata: struct(objectMeta), spec: struct(podSpec) }
const conditions: StructMeta = { conditions: mergeBy("type") }

const kind = (fields: StructMeta): StructMeta => ({ metadata: struct(objectMeta), ...fields })
const workload = kind({ spec: struct({ template: struct(podTemplate) }), status: struct(conditions) })

/** The tags of each kind. */
export const patchMeta: { readonly [K in KindName]: StructMeta } = {
  Node: kind({
    spec: struct({ podCIDRs: set }),
    status: struct({ conditions: mergeBy("type"), addresses: mergeBy("type") })
  }),
  Pod: kind({ spec: struct(podSpec), status: struct(podStatus) }),
  Namespace: kind({ status: struct(conditions) }),
  Event: kind({}),
  ConfigMap: kind({}),
  Secret: kind({}),
  ServiceAccount: kind({ secrets: mergeBy("name") }),
  Lease: kind({}),
  PriorityClass: kind({}),
  ReplicaSet: workload,
  Deployment: kind({
    spec: struct({ template: struct(podTemplate), strategy: { retainKeys: true } }),
    status: struct(conditions)
  }),
  DaemonSet: workload,
  StatefulSet: workload,
  Job: workload,
  PodDisruptionBudget: kind({ spec: struct({ selector: { strategy: "replace" } }), status: struct(conditions) }),
  VolumeAttachment: kind({}),
  CSINode: kind({ spec: struct({ drivers: mergeBy("name") }) })
}

const untagged: FieldMeta = {}

export const fieldMeta = (meta: StructMeta | undefined, field: string): FieldMeta =>
  meta !== undefined && Object.hasOwn(meta, field) ? (meta[field] ?? untagged) : untagged
