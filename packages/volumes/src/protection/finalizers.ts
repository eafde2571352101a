import type { KubeObject } from "@rollcall/api"

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true

/** Whether the object is not being deleted and lacks the finalizer. Upstream: NeedToAddFinalizer. */
export const needsFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.deletionTimestamp === undefined && !hasFinalizer(object, finalizer)

/** Whether the object is being deleted and has the finalizer. Upstream: IsDeletionCandidate. */
export const isDeletionCandidate = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, finalizer)

export const withFinalizer = <A extends KubeObject>(object: A, finalizer: string): A => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] }
})

export const withoutFinalizer = <A extends KubeObject>(object: A, finalizer: string): A => {
  const { finalizers = [], ...metadata } = object.metadata
  const rest = finalizers.filter((one) => one !== finalizer)
  return { ...object, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } }
}
