import type { DeleteOptions, KubeObject } from "@rollcall/api"

export type RemovalPolicy = "Orphan" | "Foreground" | "Background"

/**
 * By which the garbage collector deletes an object: first only as it was seen, then, where its owners are the same, as it is by now. Never
 * another object that has taken its name. Upstream: pkg/controller/garbagecollector/operations.go deleteObject.
 */
export const removalOptions = (
  uid: string,
  { metadata: { resourceVersion } }: KubeObject,
  policy: RemovalPolicy
): { readonly asSeen: DeleteOptions; readonly asIs: DeleteOptions } => {
  const asIs: DeleteOptions = { propagationPolicy: policy, preconditions: { uid } }
  if (resourceVersion === undefined) return { asSeen: asIs, asIs }
  return { asSeen: { ...asIs, preconditions: { uid, resourceVersion } }, asIs }
}
