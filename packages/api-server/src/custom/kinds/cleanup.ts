import type { CustomResourceDefinition } from "@rollcall/api"

/** Holds a definition until its custom resources are gone. Upstream: apiextensions/v1, CustomResourceCleanupFinalizer. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

/** Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go, Delete. */
export const heldForCleanup = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { deletionTimestamp, finalizers = [] } = definition.metadata
  if (deletionTimestamp !== undefined || finalizers.includes(cleanupFinalizer)) return definition
  return { ...definition, metadata: { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] } }
}

export const withoutCleanup = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const finalizers = definition.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer)
  return { ...definition, metadata: { ...definition.metadata, ...(finalizers === undefined ? {} : { finalizers }) } }
}
