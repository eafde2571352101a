import { annotationConfigMirror, type KubeObject, type Pod, podReferences } from "@rollcall/api"
import { type Distribution, guarded } from "@rollcall/time"
import type { SecuritySource } from "../../core/ports/Security.ts"
import { securityFamilies } from "../metrics/securityFamilies.ts"

/** The types of objects that can be related to a node. */
export type Referenced =
  | "configmap"
  | "persistentvolume"
  | "persistentvolumeclaim"
  | "pod"
  | "resourceclaim"
  | "resourceslice"
  | "secret"
  | "serviceaccount"
  | "volumeattachment"

interface ObjectRef {
  readonly namespace?: string
  readonly name?: string
}

interface PersistentVolume extends KubeObject {
  readonly spec?: { readonly claimRef?: ObjectRef } & Readonly<Record<string, unknown>>
}

interface WithNode extends KubeObject {
  readonly spec?: { readonly nodeName?: string }
}

const keyOf = (type: Referenced, namespace: string, name: string): string => `${type}/${namespace}/${name}`

type Changed = (object: KubeObject | undefined, previous: KubeObject | undefined) => void

/** Upstream names the actions by these words, and by kinds. */
const actionOf = (kind: string, isDeletion: boolean): string =>
  `${isDeletion ? "Delete" : "Add"}${kind === "PersistentVolume" ? "PV" : kind}`

/** Returns what measures the changes of the graph. */
const measuredBy =
  ({ metrics }: SecuritySource) =>
  (kind: string, changed: Changed): Changed => {
    if (metrics === undefined) return changed
    const { now, set } = metrics
    const durations = set.distributions(securityFamilies.graphActions)
    const durationsOf = (isDeletion: boolean) => durations.with({ operation: actionOf(kind, isDeletion) })
    let added: Distribution | undefined
    let deleted: Distribution | undefined
    return (object, previous) => {
      const beganMs = now()
      changed(object, previous)
      if (object === undefined) deleted ??= durationsOf(true)
      else added ??= durationsOf(false)
      const measured = object === undefined ? deleted : added
      measured?.observe((now() - beganMs) / 1000)
    }
  }

/**
 * Records which objects are related to which node: through a pod on it, a volume claim of such a pod, or the volume
 * bound to that claim. For each object it counts the pods by node that refer to it, so that a query is one look-up,
 * however many there are. Upstream: plugin/pkg/auth/authorizer/node/graph.go and graph_populator.go.
 */
export class ReferenceGraph {
  /** By object key: the node of the only pod that refers to the object, or for each node the number of its pods that do. */
  private readonly nodes = new Map<string, string | Map<string, number>>()
  /** By pod key: the pod's node, and the keys of the objects that the pod counts for. */
  private readonly pods = new Map<string, { readonly node: string; readonly keys: ReadonlyArray<string> }>()
  /** By volume name: the key of the claim that the volume is bound to. */
  private readonly claims = new Map<string, string>()
  /** By secret key: the names of the volumes that refer to the secret. */
  private readonly volumes = new Map<string, Set<string>>()

  /** Makes a graph that follows a server's objects. */
  static of(source: SecuritySource): ReferenceGraph {
    const graph = new ReferenceGraph()
    const measured = measuredBy(source)
    const follow = (kind: string, changed: Changed) => {
      source.observe(kind, measured(kind, changed))
      for (const object of source.list(kind)) {
        guarded(source, "node authorizer", () => changed(object, undefined), { kind, name: object.metadata.name })
      }
    }
    follow("Pod", (pod, previous) => graph.podChanged(pod as Pod | undefined, previous as Pod | undefined))
    follow("PersistentVolume", (volume, previous) => graph.volumeChanged(volume, previous))
    follow("VolumeAttachment", (object, previous) => graph.objectChanged("volumeattachment", object, previous))
    follow("ResourceSlice", (object, previous) => graph.objectChanged("resourceslice", object, previous))
    return graph
  }

  /** Whether the object is related to the node. */
  isRelated(type: Referenced, namespace: string, name: string, node: string): boolean {
    const key = keyOf(type, namespace, name)
    if (this.isReferred(key, node)) return true
    if (type === "persistentvolume") return this.isVolumeRelated(name, node)
    if (type !== "secret") return false
    for (const volume of this.volumes.get(key) ?? []) if (this.isVolumeRelated(volume, node)) return true
    return false
  }

  /** Follows a change of a pod: replaces the references that it had by those that it has. */
  podChanged(pod: Pod | undefined, previous: Pod | undefined): void {
    // Nearly every write of a pod changes only its status and so keeps the spec by reference. The status counts only for
    // the names of resource claims.
    if (pod !== undefined && pod.spec === previous?.spec && pod.spec.resourceClaims === undefined) return
    const { name = "", namespace = "" } = (pod ?? previous)?.metadata ?? {}
    const key = keyOf("pod", namespace, name)
    const before = this.pods.get(key)
    if (before !== undefined) {
      for (const referenced of before.keys) this.drop(referenced, before.node)
      this.pods.delete(key)
    }
    if (!pod?.spec.nodeName) return
    const entry = { node: pod.spec.nodeName, keys: keysOf(key, pod, namespace) }
    for (const referenced of entry.keys) this.count(referenced, entry.node)
    this.pods.set(key, entry)
  }

  /** Follows a change of a volume: its claim and its secrets. */
  volumeChanged(volume: KubeObject | undefined, previous: KubeObject | undefined): void {
    const { name = "" } = (volume ?? previous)?.metadata ?? {}
    for (const secret of secretsOf(previous)) {
      const naming = this.volumes.get(secret)
      naming?.delete(name)
      if (naming?.size === 0) this.volumes.delete(secret)
    }
    this.claims.delete(name)
    const claim = (volume as PersistentVolume | undefined)?.spec?.claimRef
    if (claim === undefined) return
    this.claims.set(name, keyOf("persistentvolumeclaim", claim.namespace ?? "", claim.name ?? ""))
    for (const secret of secretsOf(volume)) {
      const naming = this.volumes.get(secret)
      if (naming === undefined) this.volumes.set(secret, new Set([name]))
      else naming.add(name)
    }
  }

  /** Follows a change of a cluster-scoped object that names its node in `spec.nodeName`. */
  objectChanged(type: Referenced, object: KubeObject | undefined, previous: KubeObject | undefined): void {
    const before = (previous as WithNode | undefined)?.spec?.nodeName
    const after = (object as WithNode | undefined)?.spec?.nodeName
    if (before === after) return
    const key = keyOf(type, "", (object ?? previous)?.metadata.name ?? "")
    if (before) this.drop(key, before)
    if (after) this.count(key, after)
  }

  private isVolumeRelated(name: string, node: string): boolean {
    const claim = this.claims.get(name)
    return claim !== undefined && this.isReferred(claim, node)
  }

  private isReferred(key: string, node: string): boolean {
    const counts = this.nodes.get(key)
    return typeof counts === "string" ? counts === node : counts?.has(node) === true
  }

  private count(key: string, node: string): void {
    const counts = this.nodes.get(key)
    if (counts === undefined) this.nodes.set(key, node)
    else if (typeof counts !== "string") counts.set(node, (counts.get(node) ?? 0) + 1)
    else if (counts === node) this.nodes.set(key, new Map([[node, 2]]))
    else {
      const both = new Map([
        [counts, 1],
        [node, 1]
      ])
      this.nodes.set(key, both)
    }
  }

  private drop(key: string, node: string): void {
    const counts = this.nodes.get(key)
    if (typeof counts === "string") {
      if (counts === node) this.nodes.delete(key)
      return
    }
    const count = counts?.get(node)
    if (counts === undefined || count === undefined) return
    if (count > 1) counts.set(node, count - 1)
    else if (counts.size > 1) counts.delete(node)
    else this.nodes.delete(key)
  }
}

/** Returns the key of a pod and those of its references; a mirror pod has none, because its node created it. */
const keysOf = (key: string, pod: Pod, namespace: string): ReadonlyArray<string> => {
  const keys = [key]
  if (pod.metadata.annotations?.[annotationConfigMirror] !== undefined) return keys
  const { claims, configMaps, resourceClaims, secrets } = podReferences(pod)
  const account = pod.spec.serviceAccountName
  if (account) keys.push(keyOf("serviceaccount", namespace, account))
  for (const name of secrets) keys.push(keyOf("secret", namespace, name))
  for (const name of configMaps) keys.push(keyOf("configmap", namespace, name))
  for (const name of claims) keys.push(keyOf("persistentvolumeclaim", namespace, name))
  for (const name of resourceClaims) keys.push(keyOf("resourceclaim", namespace, name))
  return keys
}

/**
 * Returns the secrets of a bound volume, anywhere in its source. A reference without a namespace is to the claim's
 * namespace. Upstream: pkg/api/v1/persistentvolume/util.go, VisitPVSecretNames.
 */
const secretsOf = (volume: KubeObject | undefined): ReadonlyArray<string> => {
  const { claimRef, ...spec } = (volume as PersistentVolume | undefined)?.spec ?? {}
  if (claimRef === undefined) return []
  const found: Array<string> = []
  for (const source of Object.values(spec)) {
    if (typeof source !== "object" || source === null) continue
    for (const [field, value] of Object.entries(source)) {
      if (field === "secretName" && typeof value === "string") {
        const { secretNamespace } = source as { readonly secretNamespace?: string }
        found.push(keyOf("secret", secretNamespace || (claimRef.namespace ?? ""), value))
      } else if (/secretRef$/i.test(field) && typeof value === "object" && value !== null) {
        const { name = "", namespace } = value as ObjectRef
        found.push(keyOf("secret", namespace || (claimRef.namespace ?? ""), name))
      }
    }
  }
  return found
}
