import type { KubeObject } from "@rollcall/api"

/**
 * Keeps the stored metadata where the status is written; only who owns which fields changes. Upstream:
 * ResetObjectMetaForStatus.
 */
export const withStoredMetadata = <A extends KubeObject>(object: A, { metadata: stored }: KubeObject): A => {
  if (object.metadata === stored) return object
  const { managedFields, resourceVersion } = object.metadata
  const { managedFields: _, resourceVersion: __, ...kept } = stored
  const written = {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields })
  }
  return { ...object, metadata: { ...kept, ...written } }
}

/** The strategy of kinds whose metadata cannot be written with the status. */
export const keepsStatusMetadata = { prepareForStatusUpdate: withStoredMetadata } as const
