import type { OwnerReference } from "@rollcall/api"

const sameReference = (left: OwnerReference, right: OwnerReference): boolean =>
  left === right ||
  (left.uid === right.uid &&
    left.name === right.name &&
    left.kind === right.kind &&
    left.apiVersion === right.apiVersion &&
    left.controller === right.controller &&
    left.blockOwnerDeletion === right.blockOwnerDeletion)

/** Whether two objects have equal owner references; fast when they share the list. */
export const sameOwners = (
  left: ReadonlyArray<OwnerReference> = [],
  right: ReadonlyArray<OwnerReference> = []
): boolean =>
  left === right ||
  (left.length === right.length &&
    left.every((reference, index) => sameReference(reference, right[index] ?? reference)))
