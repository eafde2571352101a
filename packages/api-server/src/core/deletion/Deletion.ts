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

/**
 * What a delete does to an object:
 * - `Remove`: it goes now. `object` is its last state, which the answer and the DELETED event show.
 * - `Mark`: `object` is written, and lingers until its grace has run out and its finalizers are gone.
 * - `Unchanged`: it is going already, and no sooner for this request.
 */
export type Deletion<A extends KubeObject = KubeObject> =
  | { readonly _tag: "Remove"; readonly object: A }
  | { readonly _tag: "Mark"; readonly object: A }
  | { readonly _tag: "Unchanged" }

const unchanged: Deletion<never> = { _tag: "Unchanged" }

const withMeta = <A extends KubeObject>(object: A, change: Partial<ObjectMeta>): A => ({
  ...object,
  metadata: { ...object.metadata, ...change }
})

/** A kind that counts generations counts the start of its deletion. */
const nextGeneration = ({ deletionTimestamp, generation = 0 }: ObjectMeta): Partial<ObjectMeta> =>
  deletionTimestamp === undefined && generation > 0 ? { generation: generation + 1 } : {}

const withFinalizers = <A extends KubeObject>(object: A, options: DeleteOptions): A => {
  const finalizers = object.metadata.finalizers ?? []
  const next = finalizersForDeletion(options, finalizers)
  return next === finalizers ? object : withMeta(object, { finalizers: next })
}

const hasFinalizers = (object: KubeObject): boolean => (object.metadata.finalizers?.length ?? 0) > 0

/** A kind without grace goes at once, unless finalizers hold it. */
const withoutGrace = <A extends KubeObject>(object: A, options: DeleteOptions, nowMs: number): Deletion<A> => {
  // Events are owned by nobody and own nothing; their finalizers are never those of the garbage collector.
  const held = object.kind === "Event" ? object : withFinalizers(object, options)
  if (!hasFinalizers(held)) return { _tag: "Remove", object }
  const { deletionGracePeriodSeconds, deletionTimestamp } = held.metadata
  const begun = deletionTimestamp !== undefined && parseTime(deletionTimestamp) <= nowMs
  if (held === object && begun && deletionGracePeriodSeconds === 0) return unchanged
  return {
    _tag: "Mark",
    object: withMeta(held, {
      ...nextGeneration(held.metadata),
      deletionTimestamp: begun ? deletionTimestamp : formatTime(nowMs),
      deletionGracePeriodSeconds: 0
    })
  }
}

/** Marks with a grace period. With none left it goes, unless finalizers hold it. */
const withGrace = <A extends KubeObject>(
  object: A,
  options: DeleteOptions,
  endMs: number,
  seconds: number
): Deletion<A> => {
  const held = withFinalizers(object, options)
  const marked = withMeta(held, {
    ...nextGeneration(held.metadata),
    deletionTimestamp: formatTime(endMs),
    deletionGracePeriodSeconds: seconds
  })
  return seconds > 0 || hasFinalizers(marked) ? { _tag: "Mark", object: marked } : { _tag: "Remove", object: marked }
}

const deletePod = (pod: Pod, options: DeleteOptions, nowMs: number): Deletion<Pod> => {
  const { deletionGracePeriodSeconds, deletionTimestamp } = pod.metadata
  if (deletionTimestamp === undefined) {
    const seconds = podGraceSeconds(pod, options)
    return withGrace(pod, options, nowMs + seconds * 1000, seconds)
  }
  // Grace that has run out is never granted anew: what remains is up to the finalizers.
  if (!deletionGracePeriodSeconds) return withoutGrace(pod, options, nowMs)
  const granted = deletionGracePeriodSeconds < 0 ? 1 : deletionGracePeriodSeconds
  const asked = options.gracePeriodSeconds
  if (asked === undefined) return unchanged
  const seconds = asked < 0 ? 1 : asked
  if (seconds >= granted) return unchanged
  // Counted from when the first grace period began, however late the second request comes.
  return withGrace(pod, options, parseTime(deletionTimestamp) + (seconds - granted) * 1000, seconds)
}

/** A namespace always waits for its controller, which empties it. Upstream: pkg/registry/core/namespace/storage/storage.go. */
const deleteNamespace = (namespace: Namespace, options: DeleteOptions, nowMs: number): Deletion<Namespace> => {
  if (namespace.metadata.deletionTimestamp === undefined) {
    const held = withFinalizers(namespace, options)
    const marked = withMeta(held, { deletionTimestamp: formatTime(nowMs) })
    return { _tag: "Mark", object: { ...marked, status: { ...marked.status, phase: "Terminating" } } }
  }
  return (namespace.spec?.finalizers?.length ?? 0) > 0 ? unchanged : withoutGrace(namespace, options, nowMs)
}

const isPod = (object: KubeObject): object is Pod => object.kind === "Pod"
const isNamespace = (object: KubeObject): object is Namespace => object.kind === "Namespace"

/**
 * Decides a delete that nothing refuses (`deletionRefusal` does). Pods have a graceful handshake with their kubelet, all other
 * kinds go when their finalizers do. Times are whole seconds on the wire, so a mark is up to a second earlier than asked.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete), generic/registry/store.go (Delete).
 */
export const decideDeletion = (object: KubeObject, options: DeleteOptions, nowMs: number): Deletion => {
  if (isPod(object)) return deletePod(object, options, nowMs)
  if (isNamespace(object)) return deleteNamespace(object, options, nowMs)
  return withoutGrace(object, options, nowMs)
}

/**
 * Whether an update removes the object: it was being deleted, its grace was over before, and the update took the last
 * finalizer. Removing finalizers while grace runs does not remove a pod.
 *
 * Upstream: generic/registry/store.go (ShouldDeleteDuringUpdate).
 */
export const isFinished = (updated: KubeObject, stored: KubeObject): boolean => {
  if (stored.metadata.deletionTimestamp === undefined || hasFinalizers(updated)) return false
  if (isNamespace(updated) && (updated.spec?.finalizers?.length ?? 0) > 0) return false
  return (stored.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

/**
 * How many seconds a pod is given to stop: what the delete asks for, else what the pod does. None when no kubelet has the pod
 * or its containers have ended; a negative period is one second.
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

/** What a delete asks for, else what the object's finalizers still say of an earlier one, else the default of all kinds. */
const policyOf = (options: DeleteOptions, finalizers: ReadonlyArray<string>): Policy => {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background"
  if (options.propagationPolicy !== undefined)
    return isPolicy(options.propagationPolicy) ? options.propagationPolicy : "Background"
  const earlier = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  if (earlier === undefined) return "Background"
  return earlier === orphanFinalizer ? "Orphan" : "Foreground"
}

const finalizerOf: Readonly<Record<Policy, ReadonlyArray<string>>> = {
  Orphan: [orphanFinalizer],
  Foreground: [foregroundFinalizer],
  Background: []
}

/**
 * The finalizers an object has once a delete with these options has begun; the same list when nothing changes.
 * Upstream: registry/generic/registry/store.go (deletionFinalizersForGarbageCollection).
 */
const finalizersForDeletion = (options: DeleteOptions, finalizers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = finalizerOf[policyOf(options, finalizers)]
  const others = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  const next = [...others, ...wanted]
  const before = new Set(finalizers)
  return next.length === finalizers.length && next.every((finalizer) => before.has(finalizer)) ? finalizers : next
}

/** Why a delete's options are wrong, whatever they are about. */
export const deleteOptionsRefusal = (options: DeleteOptions): Status | undefined => {
  const errors = validateDeleteOptions(options)
  return errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors)
}

/**
 * Why the object is not the one that the delete means. These errors name the kind, not the resource.
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete).
 */
export const preconditionRefusal = (
  { group, kind }: Pick<Resource, "group" | "kind">,
  object: KubeObject,
  options: DeleteOptions
): Status | undefined => {
  const { resourceVersion, uid } = options.preconditions ?? {}
  const { metadata } = object
  const refuse = (why: string) => conflict({ group, resource: kind }, metadata.name ?? "", why)
  if (uid !== undefined && uid !== metadata.uid) {
    return refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    return refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    )
  }
  return undefined
}
