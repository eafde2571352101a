import { type CustomResourceDefinition, formatTime, type KubeObject } from "@rollcall/api"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Deletion } from "../../core/deletion/Deletion.ts"
import { runInSequence } from "../../core/pipeline/continuations.ts"
import { removeObject } from "../../core/pipeline/remove.ts"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import { isTrue, withCondition } from "./names.ts"

/** The server's own identity. Upstream: apiserver/pkg/authentication/user, APIServerUser. */
export const userInfo: UserInfo = { user: "system:apiserver", groups: ["system:masters", "system:authenticated"] }

/** How often a deletion is tried again after a conflict. */
const ATTEMPTS = 100

/** Deletes all objects of a kind in sequence; those with finalizers stay until these are removed. */
export const deleteObjectsOf = (core: ServerCore, state: KindState, done: () => void): void => {
  const objects: Array<KubeObject> = []
  state.cache.visit(undefined, (object) => objects.push(object))
  const removeOne = ({ metadata: { name = "", namespace = "" } }: KubeObject, next: (proceed: boolean) => void) => {
    const target = { state, namespace, name, subresource: undefined, dryRun: false }
    removeObject(core, userInfo, target, {}, ATTEMPTS, () => next(true))
  }
  runInSequence(objects, removeOne, done)
}

/**
 * Keeps a definition until its custom resources are deleted. Upstream: apiextensions/v1,
 * CustomResourceCleanupFinalizer.
 */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

/**
 * Returns the first effect of a delete: the definition waits for its custom resources, and says so. Later deletes have
 * the effect that they have on any object. Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go.
 */
export const beginDeletion = (definition: CustomResourceDefinition, nowMs: number): Deletion | undefined => {
  const { metadata, status } = definition
  if (metadata.deletionTimestamp !== undefined) return undefined
  const { finalizers = [] } = metadata
  const now = formatTime(nowMs)
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
  const made = { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message } as const
  const object: CustomResourceDefinition = {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer]
    },
    status: { ...status, conditions: withCondition(status?.conditions ?? [], made, now) }
  }
  return { _tag: "Mark", object }
}

/** Returns a definition without the finalizer, which says why its custom resources no longer hold it. */
export const withoutCleanup = (definition: CustomResourceDefinition, nowMs: number): CustomResourceDefinition => {
  const { metadata, status } = definition
  const finalizers = metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? []
  const { finalizers: _, ...rest } = metadata
  const outcome = isTrue(definition, "Established")
    ? { reason: "InstanceDeletionCompleted", message: "removed all instances" }
    : { reason: "NeverEstablished", message: "resource was never established" }
  const made = { type: "Terminating", status: "False", ...outcome } as const
  return {
    ...definition,
    metadata: finalizers.length === 0 ? rest : { ...rest, finalizers },
    status: { ...status, conditions: withCondition(status?.conditions ?? [], made, formatTime(nowMs)) }
  }
}
