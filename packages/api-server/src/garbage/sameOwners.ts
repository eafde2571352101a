import type { OwnerReference } from "@rollcall/api"

const same = (left: OwnerReference, right: OwnerReference): boolean =>
  left === right ||
  (left.uid === right.uid &&
    left.name === right.name &&
    left.kind === right.kind &&
    left.apiVersion === right.apiVersion &&
    left.controller === right.controller &&
    left.blockOwnerDeletion === right.blockOwnerDeletion)

/** Whether two objects refer to the same owners in the same way; quick when they share the list. */
export const sameOwners = (
  left: ReadonlyArray<OwnerReference> = [],
  right: ReadonlyArray<OwnerReference> = []
): boolean =>
  left === right ||
  (left.length === right.length && left.every((reference, index) => same(reference, right[index] ?? reference)))
