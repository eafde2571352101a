import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import type { UserInfo } from "../../core/admission/Admission.ts"
import { runInSequence } from "../../core/pipeline/continuations.ts"
import { removeObject } from "../../core/pipeline/remove.ts"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import type { KindState } from "../../core/registry/KindState.ts"

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
 * Returns a definition that is being deleted with the finalizer. Upstream:
 * apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go, Delete.
 */
export const withCleanup = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { deletionTimestamp, finalizers = [] } = definition.metadata
  if (deletionTimestamp !== undefined || finalizers.includes(cleanupFinalizer)) return definition
  return { ...definition, metadata: { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] } }
}

/** Returns a definition without the finalizer. */
export const withoutCleanup = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const finalizers = definition.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer)
  return { ...definition, metadata: { ...definition.metadata, ...(finalizers === undefined ? {} : { finalizers }) } }
}
