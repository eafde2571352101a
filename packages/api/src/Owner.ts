import type { KubeObject, OwnerReference } from "./objects/Meta.ts"

type Owned = Pick<KubeObject, "metadata">

/** Returns the owner that is the object's controller, if there is one. Upstream: metav1.GetControllerOf. */
export const getControllerOf = ({ metadata }: Owned): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** Whether the owner is the object's controller. Compares uids, because a name may be reused. */
export const isControlledBy = (object: Owned, owner: Owned): boolean =>
  owner.metadata.uid !== undefined && getControllerOf(object)?.uid === owner.metadata.uid

/** Returns the owner reference that a controller sets on the objects it creates. Upstream: metav1.NewControllerRef. */
export const controllerReference = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  controller: true,
  blockOwnerDeletion: true
})

/** Returns `namespace/name`, or the name of a cluster-scoped object: the key of an object in caches and queues. */
export const keyOf = ({ metadata }: Owned): string =>
  metadata.namespace === undefined || metadata.namespace === ""
    ? (metadata.name ?? "")
    : `${metadata.namespace}/${metadata.name ?? ""}`
