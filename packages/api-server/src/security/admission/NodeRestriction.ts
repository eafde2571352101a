import {
  annotationConfigMirror,
  forbidden,
  groupResourceOf,
  type KubeObject,
  type Node,
  nodeLeaseNamespace,
  notFound,
  type Pod,
  podReferences,
  projects,
  type Status
} from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import { nodeNameOf } from "@rollcall/rbac"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReader } from "../../core/admission/Admission.ts"
import { nodeCertificateRefusal } from "./nodeCertificates.ts"

/**
 * Why a kubelet may not make a write, or undefined if it may: the message of a 403, or a Status that is the response
 * itself.
 */
type Refusal = string | Status | undefined

/** Checks a write by the kubelet of `node` to one kind. */
type Rule = (node: string, attributes: AdmissionAttributes, reader: AdmissionReader) => Refusal

/**
 * Restricts kubelets to their own objects: their Node, except for its taints and for labels of others; the pods on it;
 * their lease. Upstream: plugin/pkg/admission/noderestriction/admission.go.
 */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  admits: (kind, verb) => verb !== "connect" && rules[kind] !== undefined,
  // Runs before the server resets fields, because a kubelet may not even request other taints through the status.
  mutate: (attributes, { reader }) => {
    const refusal = nodeRefusal(attributes, reader)
    return refusal === undefined ? Result.succeed(attributes.object) : Result.fail(refusal)
  },
  // The server does not call `mutate` for deletes, evictions and bindings; other writes have been checked there.
  validate: (attributes, { reader }) =>
    attributes.verb === "delete" || attributes.subresource === "eviction" || attributes.subresource === "binding"
      ? nodeRefusal(attributes, reader)
      : undefined
}

/** Returns the 403 for a write by a kubelet, or the 404 of an object that a rule reads. */
const nodeRefusal = (attributes: AdmissionAttributes, reader: AdmissionReader): Status | undefined => {
  const node = nodeNameOf(attributes.userInfo)
  if (node === undefined) return undefined
  const refusal =
    node === ""
      ? `could not determine node from user ${quote(attributes.userInfo.user)}`
      : rules[attributes.kind]?.(node, attributes, reader)
  if (typeof refusal !== "string") return refusal
  return forbidden(groupResourceOf(attributes.resource), nameIn(attributes), refusal)
}

const quote = (text: string): string => JSON.stringify(text)

const nameIn = ({ name, object }: AdmissionAttributes): string => name || object?.metadata.name || ""

/** Checks a write to a Node: it must be the kubelet's own, and must not change taints, owners or forbidden labels. */
const nodes: Rule = (node, attributes) => {
  const { object, oldObject, verb } = attributes
  const name = nameIn(attributes)
  if (name !== node) return `node ${quote(node)} is not allowed to modify node ${quote(name)}`
  if (verb === "delete") return undefined
  const { metadata, spec } = object as Node
  const before = oldObject as Node | undefined
  if (before === undefined) {
    if (configSourceOf(object) !== undefined) {
      return `node ${quote(node)} is not allowed to create pods with a non-nil configSource`
    }
    const labels = forbiddenLabelChanges(metadata.labels, undefined)
    return labels.length === 0
      ? undefined
      : `node ${quote(node)} is not allowed to set the following labels: ${labels.join(", ")}`
  }
  const source = configSourceOf(object)
  if (source !== undefined && !sameValue(source, configSourceOf(before))) {
    return `node ${quote(node)} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!sameValue(spec?.taints ?? [], before.spec?.taints ?? []))
    return `node ${quote(node)} is not allowed to modify taints`
  if (!sameValue(metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])) {
    return `node ${quote(node)} is not allowed to modify ownerReferences`
  }
  const labels = forbiddenLabelChanges(metadata.labels, before.metadata.labels)
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`
}

/** Returns the spec's configSource: it has had no effect since Kubernetes 1.24, but kubelets still may not set it. */
const configSourceOf = (object: KubeObject | undefined): unknown =>
  (object as { readonly spec?: { readonly configSource?: unknown } } | undefined)?.spec?.configSource ?? undefined

const pods: Rule = (node, attributes, reader) => {
  const { subresource, verb } = attributes
  if (subresource === "status") return podStatusRefusal(node, attributes)
  if (subresource === "eviction") return otherNodeRefusal(node, attributes, reader, `node ${node} can only evict pods`)
  if (subresource !== undefined) {
    return `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`
  }
  if (verb === "create") return podCreationRefusal(node, attributes, reader)
  if (verb === "delete") return otherNodeRefusal(node, attributes, reader, `node ${quote(node)} can only delete pods`)
  return `unexpected operation "UPDATE", node ${quote(node)} can only create and delete mirror pods`
}

/** Refuses with `what` if the pod is not on the node. */
const otherNodeRefusal = (
  node: string,
  { name, namespace, oldObject }: AdmissionAttributes,
  reader: AdmissionReader,
  what: string
): Refusal => {
  const pod = (oldObject as Pod | undefined) ?? reader.get("Pod", namespace, name)
  // The caches that upstream reads name missing objects in the singular.
  if (pod === undefined) return notFound({ group: "", resource: "pod" }, name)
  return pod.spec.nodeName === node ? undefined : `${what} with spec.nodeName set to itself`
}

const podStatusRefusal = (node: string, { object, oldObject, verb }: AdmissionAttributes): Refusal => {
  if (verb !== "update") return `unexpected operation ${quote(verb.toUpperCase())}`
  const before = oldObject as Pod
  if (before.spec.nodeName !== node) {
    return `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`
  }
  if (!sameValue(object?.metadata.labels ?? {}, before.metadata.labels ?? {})) {
    return `node ${quote(node)} cannot update labels through pod status`
  }
  return sameValue(claimStatuses(object), claimStatuses(before))
    ? undefined
    : // The typing error is upstream's.
      `node ${quote(node)} cannot update resource claim statues`
}

interface ClaimStatuses {
  readonly status?: { readonly resourceClaimStatuses?: unknown; readonly extendedResourceClaimStatus?: unknown }
}

const claimStatuses = (pod: KubeObject | undefined): unknown => {
  const status = (pod as ClaimStatuses | undefined)?.status
  return [status?.resourceClaimStatuses ?? [], status?.extendedResourceClaimStatus ?? null]
}

const podCreationRefusal: Rule = (node, { object }, reader) => {
  const pod = object as Pod
  const { metadata, spec } = pod
  if (metadata.annotations?.[annotationConfigMirror] === undefined) {
    return `pod does not have ${quote(annotationConfigMirror)} annotation, node ${quote(node)} can only create mirror pods`
  }
  if (spec.nodeName !== node) return `node ${quote(node)} can only create pods with spec.nodeName set to itself`
  return ownerRefusal(node, pod, reader) ?? referenceRefusal(node, pod)
}

const ownerRefusal = (node: string, { metadata }: Pod, reader: AdmissionReader): Refusal => {
  const only = `node ${quote(node)} can only create pods with`
  const [owner, another] = metadata.ownerReferences ?? []
  if (another !== undefined) return `${only} a single owner reference set to itself`
  if (owner === undefined || owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `${only} an owner reference set to itself`
  }
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`
  if (owner.blockOwnerDeletion === true)
    return `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`
  const known = reader.get("Node", "", node)
  if (known === undefined) return notFound({ group: "", resource: "node" }, node)
  if (known.metadata.uid !== owner.uid) {
    return `node ${node} UID mismatch: expected ${owner.uid} got ${known.metadata.uid ?? ""}`
  }
  return undefined
}

const referenceRefusal = (node: string, pod: Pod): Refusal => {
  const { spec } = pod
  const not = (what: string) => `node ${quote(node)} can not create pods that reference ${what}`
  if (spec.serviceAccountName) return not("a service account")
  const { configMaps, secrets } = podReferences(pod)
  if (secrets.size > 0) return not("secrets")
  if (configMaps.size > 0) return not("configmaps")
  if (projects(pod, "clusterTrustBundle")) return not("clustertrustbundles")
  if (projects(pod, "podCertificate")) return not("podcertificaterequests")
  for (const volume of spec.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) return not("persistentvolumeclaims")
    if (volume.ephemeral !== undefined) return not("ephemeral volumes")
    if (volume.csi !== undefined) return not("csi volumes")
  }
  return (spec.resourceClaims ?? []).length > 0 ? not("resourceclaims") : undefined
}

const claims: Rule = (node, { object, oldObject, subresource, verb }) => {
  if (subresource !== "status") return "may only update PVC status"
  if (verb !== "update") return `unexpected operation ${quote(verb.toUpperCase())}`
  return sameValue(withoutGrowth(object), withoutGrowth(oldObject))
    ? undefined
    : `node ${quote(node)} is not allowed to update fields other than status.capacity and status.conditions`
}

/** Returns a claim without the fields that a kubelet may write when it expands the volume. */
const withoutGrowth = (object: KubeObject | undefined): unknown => {
  if (object === undefined) return undefined
  const { metadata, status, ...rest } = object as KubeObject & { readonly status?: Readonly<Record<string, unknown>> }
  const { managedFields: _, resourceVersion: __, ...kept } = metadata
  const growthFields: ReadonlySet<string> = new Set([
    "capacity",
    "conditions",
    "allocatedResources",
    "allocatedResourceStatuses"
  ])
  const otherEntries = Object.entries(status ?? {}).filter(([field]) => !growthFields.has(field))
  return { ...rest, metadata: kept, status: Object.fromEntries(otherEntries) }
}

const leases: Rule = (node, attributes) => {
  if (attributes.namespace !== nodeLeaseNamespace) {
    return `can only access leases in the "${nodeLeaseNamespace}" system namespace`
  }
  return nameIn(attributes) === node
    ? undefined
    : "can only access node lease with the same name as the requesting node"
}

const csiNodes: Rule = (node, attributes) =>
  nameIn(attributes) === node ? undefined : "can only access CSINode with the same name as the requesting node"

const slices: Rule = (node, { object, oldObject, verb }) => {
  if (verb === "update") return undefined
  const { spec } = ((verb === "create" ? object : oldObject) ?? {}) as {
    readonly spec?: { readonly nodeName?: string }
  }
  if (spec?.nodeName === node) return undefined
  return verb === "create"
    ? "can only create ResourceSlice with the same NodeName as the requesting node"
    : "can only delete ResourceSlice with the same NodeName as the requesting node"
}

const rules: Readonly<Record<string, Rule>> = {
  Node: nodes,
  Pod: pods,
  PersistentVolumeClaim: claims,
  Lease: leases,
  CertificateSigningRequest: nodeCertificateRefusal,
  CSINode: csiNodes,
  ResourceSlice: slices
}

/**
 * The labels of its Node that a kubelet may set and change, besides those of domains that `isForbiddenLabel` allows.
 * Upstream: plugin/pkg/admission/noderestriction/admission.go,
 * staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go; KEP-279.
 */
const allowedLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region"
])

/** Whether the label namespace is one of the domains or below it. */
const isInDomain = (namespace: string, ...domains: ReadonlyArray<string>): boolean =>
  domains.some((domain) => namespace === domain || namespace.endsWith(`.${domain}`))

const isForbiddenLabel = (key: string): boolean => {
  const slash = key.indexOf("/")
  const namespace = slash < 0 ? "" : key.slice(0, slash)
  if (isInDomain(namespace, "node-restriction.kubernetes.io")) return true
  if (!isInDomain(namespace, "kubernetes.io", "k8s.io")) return false
  return !allowedLabels.has(key) && !isInDomain(namespace, "kubelet.kubernetes.io", "node.kubernetes.io")
}

type Labels = Readonly<Record<string, string>> | undefined

/** Returns the keys of forbidden label changes, sorted: those added, changed and removed. */
const forbiddenLabelChanges = (labels: Labels, before: Labels): ReadonlyArray<string> => {
  const keys = new Set([...Object.keys(labels ?? {}), ...Object.keys(before ?? {})])
  return [...keys].filter((key) => labels?.[key] !== before?.[key] && isForbiddenLabel(key)).sort()
}
