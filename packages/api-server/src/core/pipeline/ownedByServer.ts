import type { KubeObject } from "@rollcall/api"
import { runAllSteps } from "@rollcall/time"
import type { ServerCore } from "./ServerCore.ts"

/** The field manager of a request without one. Upstream: managerOrUserAgent. */
const SERVER = "kube-apiserver"

/** Returns what upstream's server sends to create the object: a namespace gets its finalizers and phase later. */
const sentOf = (object: KubeObject): KubeObject => {
  const { apiVersion, kind, metadata } = object
  return kind === "Namespace" ? { apiVersion, kind, metadata } : object
}

/** Returns an object that the server makes itself, with managedFields as if it had created it by a request. */
export const ownedByServer = <A extends KubeObject>(
  { ownership, registry }: Pick<ServerCore, "ownership" | "registry">,
  object: A,
  manager = SERVER
): A => {
  const definition = registry.kind(object.kind)?.definition
  if (ownership === undefined || definition === undefined) return object
  const write = { definition, subresource: undefined, manager }
  const { managedFields } = runAllSteps(ownership.createdInSteps(write, definition.defaults(sentOf(object)))).metadata
  return managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields } }
}
