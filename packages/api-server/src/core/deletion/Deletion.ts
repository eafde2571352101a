import type { Pod } from "@rollcall/api"
import {
  conflict,
  type DeleteOptions,
  foregroundFinalizer,
  formatTime,
  invalid,
  type KubeObject,
  type Namespace,
  type ObjectMeta,
  orphanFinalizer,
  parseTime,
  type Resource,
  type Status
} from "@rollcall/api"
import { validateDeleteOptions } from "@rollcall/api/validation"
import { generationAfter } from "@rollcall/api/values"

/**
 * The effect of a delete on an object:
 * - `Remove`: it is removed now. `object` is its last state, which the response and the DELETED event show.
 * - `RemoveMarked`: the same, but `object` is written with its deletionTimestamp first, as for any graceful deletion.
 * - `Mark`: `object` is written with a deletionTimestamp. It stays until a later delete or update removes it.
 * - `Unchanged`: it is being deleted already, and this request does not shorten its grace period.
 */
export type Deletion<A extends KubeObject = KubeObject> =
  | { readonly _tag: "Remove"; readonly object: A }
  | { readonly _tag: "RemoveMarked"; readonly object: A }
  | { readonly _tag: "Mark"; readonly object: A }
  | { readonly _tag: "Unchanged" }

const unchanged: Deletion<never> = { _tag: "Unchanged" }

const withMeta = <A extends KubeObject>(object: A, change: Partial<ObjectMeta>): A => ({
  ...object,
  metadata: { ...object.metadata, ...change }
})

/** Returns the generation increased by one if the deletion starts now and the object has a generation. */
const nextGeneration = ({ deletionTimestamp, generation = 0 }: ObjectMeta): Partial<ObjectMeta> =>
  deletionTimestamp === undefined && generation > 0 ? { generation: generationAfter(generation) } : {}

/** Returns the object with the garbage collector's finalizers for these options; the same reference if it has them. */
const withFinalizers = <A extends KubeObject>(object: A, options: DeleteOptions): A => {
  const finalizers = object.metadata.finalizers ?? []
  const next = finalizersForDeletion(options, finalizers)
  if (next === finalizers) return object
  if (next.length > 0) return withMeta(object, { finalizers: next })
  const { finalizers: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const hasFinalizers = (object: KubeObject): boolean => (object.metadata.finalizers?.length ?? 0) > 0

/** Deletes without a grace period: the object is removed at once, unless it has finalizers. */
const deleteWithoutGrace = <A extends KubeObject>(object: A, options: DeleteOptions, nowMs: number): Deletion<A> => {
  // Events have no dependents, so the garbage collector's finalizers are always taken from them.
  const updated = withFinalizers(object, object.kind === "Event" ? { propagationPolicy: "Background" } : options)
  if (!hasFinalizers(updated)) return { _tag: "Remove", object }
  const { deletionGracePeriodSeconds, deletionTimestamp } = updated.metadata
  const hasStarted = deletionTimestamp !== undefined && parseTime(deletionTimestamp) <= nowMs
  if (updated === object && hasStarted && deletionGracePeriodSeconds === 0) return unchanged
  return {
    _tag: "Mark",
    object: withMeta(updated, {
      ...nextGeneration(updated.metadata),
      deletionTimestamp: hasStarted ? deletionTimestamp : formatTime(nowMs),
      deletionGracePeriodSeconds: 0
    })
  }
}

/**
 * Marks the object with a grace period of `seconds` that ends at `endMs`. With a period of 0 it is removed, unless it has
 * finalizers.
 */
const deleteWithGrace = <A extends KubeObject>(
  object: A,
  options: DeleteOptions,
  endMs: number,
  seconds: number
): Deletion<A> => {
  const updated = withFinalizers(object, options)
  const marked = withMeta(updated, {
    ...nextGeneration(updated.metadata),
    deletionTimestamp: formatTime(endMs),
    deletionGracePeriodSeconds: seconds
  })
  return { _tag: seconds > 0 || hasFinalizers(marked) ? "Mark" : "RemoveMarked", object: marked }
}

/** The largest number of seconds that Go's durations hold. */
const MAX_SECONDS = 9_223_372_036

/** Returns seconds, of which a client may ask for any int64, as milliseconds; a duration that overflows wraps, as in Go. */
const durationMs = (seconds: number): number =>
  Math.abs(Number(seconds)) <= MAX_SECONDS
    ? seconds * 1000
    : Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1e6

const deletePod = (pod: Pod, options: DeleteOptions, nowMs: number): Deletion<Pod> => {
  const { deletionGracePeriodSeconds, deletionTimestamp } = pod.metadata
  if (deletionTimestamp === undefined) {
    const seconds = podGraceSeconds(pod, options)
    return deleteWithGrace(pod, options, nowMs + durationMs(seconds), seconds)
  }
  // An expired grace period is not restarted: only finalizers remain.
  if (!deletionGracePeriodSeconds) return deleteWithoutGrace(pod, options, nowMs)
  const grantedSeconds = deletionGracePeriodSeconds < 0 ? 1 : deletionGracePeriodSeconds
  const requestedSeconds = options.gracePeriodSeconds
  if (requestedSeconds === undefined) return unchanged
  const seconds = requestedSeconds < 0 ? 1 : requestedSeconds
  if (seconds >= grantedSeconds) return unchanged
  // The shorter period starts when the first one did, however late this request arrives.
  const startMs = parseTime(deletionTimestamp) - durationMs(grantedSeconds)
  return deleteWithGrace(pod, options, startMs + durationMs(seconds), seconds)
}

/**
 * Returns the options that admission sees: those of a pod have the grace period that it gets, and those of kinds which
 * check preconditions themselves the uid. Undefined if a graceful deletion is pending that these options do not shorten:
 * then nothing is admitted.
 */
export const admittedOptions = (object: KubeObject, options: DeleteOptions): DeleteOptions | undefined => {
  if (!isPod(object)) return hasOwnChecks(object) ? withUid(object, options) : options
  const { deletionGracePeriodSeconds, deletionTimestamp } = object.metadata
  if (deletionTimestamp === undefined) return { ...options, gracePeriodSeconds: podGraceSeconds(object, options) }
  if (!deletionGracePeriodSeconds) return options
  const seconds = options.gracePeriodSeconds
  if (seconds === undefined || seconds >= deletionGracePeriodSeconds) return undefined
  return seconds < 0 ? { ...options, gracePeriodSeconds: 1 } : options
}

/**
 * A namespace always waits for its controller, which deletes its contents. Upstream:
 * pkg/registry/core/namespace/storage/storage.go.
 */
const deleteNamespace = (namespace: Namespace, options: DeleteOptions, nowMs: number): Deletion<Namespace> => {
  if (namespace.metadata.deletionTimestamp === undefined) {
    // Of namespaces, the old option that dependents do not stay means that they go first.
    const updated = withFinalizers(
      namespace,
      options.orphanDependents === false ? { propagationPolicy: "Foreground" } : options
    )
    const marked = withMeta(updated, { deletionTimestamp: formatTime(nowMs) })
    return { _tag: "Mark", object: { ...marked, status: { ...marked.status, phase: "Terminating" } } }
  }
  return (namespace.spec?.finalizers?.length ?? 0) > 0 ? unchanged : deleteWithoutGrace(namespace, options, nowMs)
}

const isPod = (object: KubeObject): object is Pod => object.kind === "Pod"
const isNamespace = (object: KubeObject): object is Namespace => object.kind === "Namespace"

/**
 * Decides the effect of a delete that `deletionRefusal` does not refuse. Pods are deleted gracefully by their kubelet;
 * all other kinds are removed once they have no finalizers. `nowMs` is in milliseconds since the Unix epoch. Times have
 * whole seconds on the wire, so a deletionTimestamp is up to a second earlier than requested.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete), generic/registry/store.go (Delete).
 */
export const decideDeletion = (object: KubeObject, options: DeleteOptions, nowMs: number): Deletion => {
  if (isPod(object)) return deletePod(object, options, nowMs)
  if (isNamespace(object)) return deleteNamespace(object, options, nowMs)
  return deleteWithoutGrace(object, options, nowMs)
}

/**
 * Whether an update removes the object: it was being deleted, its grace period had expired before, and the update
 * removed the last finalizer. Removing finalizers within the grace period does not remove a pod.
 *
 * Upstream: generic/registry/store.go (ShouldDeleteDuringUpdate).
 */
export const shouldDeleteDuringUpdate = (updated: KubeObject, stored: KubeObject): boolean => {
  if (stored.metadata.deletionTimestamp === undefined || hasFinalizers(updated)) return false
  if (isNamespace(updated) && (updated.spec?.finalizers?.length ?? 0) > 0) return false
  return (stored.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

/**
 * Returns the grace period in seconds: the one of the delete, otherwise the pod's own. 0 when the pod is not on a node
 * or its containers have ended; a negative period means one second.
 *
 * Upstream: pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
 */
export const podGraceSeconds = (pod: Pod, options: DeleteOptions): number => {
  const { phase } = pod.status ?? {}
  if (!pod.spec.nodeName || phase === "Succeeded" || phase === "Failed") return 0
  const seconds = options.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0
  return seconds < 0 ? 1 : seconds
}

type Policy = "Orphan" | "Foreground" | "Background"

const isPolicy = (text: string): text is Policy => text === "Orphan" || text === "Foreground" || text === "Background"

/**
 * Returns the propagation policy: that of the delete; otherwise that of an earlier delete, which the object's finalizers
 * show; otherwise Background, the default of all kinds.
 */
const policyOf = (options: DeleteOptions, finalizers: ReadonlyArray<string>): Policy => {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background"
  if (options.propagationPolicy !== undefined)
    return isPolicy(options.propagationPolicy) ? options.propagationPolicy : "Background"
  const earlier = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  if (earlier === undefined) return "Background"
  return earlier === orphanFinalizer ? "Orphan" : "Foreground"
}

/** The finalizers by which the garbage collector recognizes a policy. */
const finalizersOf: Readonly<Record<Policy, ReadonlyArray<string>>> = {
  Orphan: [orphanFinalizer],
  Foreground: [foregroundFinalizer],
  Background: []
}

/**
 * Returns the finalizers of an object after a delete with these options has started; the same list if nothing changes.
 * Upstream: registry/generic/registry/store.go (deletionFinalizersForGarbageCollection).
 */
const finalizersForDeletion = (options: DeleteOptions, finalizers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const added = finalizersOf[policyOf(options, finalizers)]
  const others = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  const next = [...others, ...added]
  const before = new Set(finalizers)
  return next.length === finalizers.length && next.every((finalizer) => before.has(finalizer)) ? finalizers : next
}

/** Returns why a delete's options are invalid whatever the object, or undefined if they are valid. */
export const deleteOptionsRefusal = (options: DeleteOptions): Status | undefined => {
  const errors = validateDeleteOptions(options)
  return errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors)
}

/** The kinds that check preconditions themselves, with other words. */
const ownChecks: ReadonlyMap<string, string> = new Map([
  ["Namespace", "namespaces"],
  ["CustomResourceDefinition", "customresourcedefinitions"]
])

const hasOwnChecks = ({ apiVersion = "", kind = "" }: KubeObject): boolean =>
  ownChecks.has(kind) && (apiVersion === "v1" || apiVersion.startsWith("apiextensions.k8s.io/"))

const withUid = ({ metadata: { uid } }: KubeObject, options: DeleteOptions): DeleteOptions => ({
  ...options,
  preconditions: { ...(uid !== undefined && { uid }), ...options.preconditions }
})

/**
 * Returns why a delete's preconditions fail, or undefined if the object meets them. Unlike other conflicts, most of these
 * errors name the kind (`Pod`), not the resource (`pods`). Upstream:
 * staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete); pkg/registry/core/namespace/storage/storage.go;
 * apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go.
 */
export const preconditionRefusal = (
  { group, kind }: Pick<Resource, "group" | "kind">,
  object: KubeObject,
  options: DeleteOptions,
  /** Whether it is one of a collection: those are checked as objects of any kind are. */
  isOfCollection = false
): Status | undefined => {
  const { resourceVersion, uid } = options.preconditions ?? {}
  const { metadata } = object
  const hasOwn = !isOfCollection && (group === "" || group === "apiextensions.k8s.io")
  const own = hasOwn ? ownChecks.get(kind) : undefined
  const refuse = (why: string) => conflict({ group, resource: own ?? kind }, metadata.name ?? "", why)
  const failed = (field: string, given: string, found = "") =>
    refuse(`Precondition failed: ${field} in precondition: ${given}, ${field} in object meta: ${found}`)
  if (uid !== undefined && uid !== metadata.uid) {
    if (own !== undefined) return failed("UID", uid, metadata.uid)
    return refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    if (own !== undefined) return failed("ResourceVersion", resourceVersion, metadata.resourceVersion)
    return refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    )
  }
  return undefined
}
