import type { KubeObject, OwnerReference } from "./objects/Meta.ts"

type Owned = Pick<KubeObject, "metadata">

/** The owner that manages the object, if there is one. Upstream: metav1.GetControllerOf. */
export const getControllerOf = ({ metadata }: Owned): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** Whether the owner is the object's controller: by uid, for a name may come back. */
export const isControlledBy = (object: Owned, owner: Owned): boolean =>
  owner.metadata.uid !== undefined && getControllerOf(object)?.uid === owner.metadata.uid

/** The reference that a controller gives the objects that it makes. Upstream: metav1.NewControllerRef. */
export const controllerReference = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  controller: true,
  blockOwnerDeletion: true
})

/** `namespace/name`, or the name of a cluster-scoped object: how controllers key what they know. */
export const keyOf = ({ metadata }: Owned): string =>
  metadata.namespace === undefined || metadata.namespace === ""
    ? (metadata.name ?? "")
    : `${metadata.namespace}/${metadata.name ?? ""}`
