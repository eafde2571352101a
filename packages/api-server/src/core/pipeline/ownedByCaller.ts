import type { KubeObject, Resource } from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import { managerName } from "@rollcall/field-ownership"
import { runAllSteps } from "@rollcall/time"
import type { Target } from "../registry/KindState.ts"
import type { Exchange } from "./Exchange.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A kind whose objects are answered and not stored, as owners of fields know it. */
export const unstoredKind = (resource: Pick<Resource, "group" | "version" | "kind">) => ({
  apiVersion: resource.group === "" ? resource.version : `${resource.group}/${resource.version}`,
  resource,
  subresources: new Set<string>()
})

/** Returns such an object as admission plugins see it, if there are any: its fields have an owner. */
export const ownedByCaller = (
  { admission, ownership }: ServerCore,
  { identity }: Exchange,
  { fieldManager }: CreateRequest,
  definition: ReturnType<typeof unstoredKind>,
  { state, subresource }: Target,
  object: KubeObject
): KubeObject => {
  if (ownership === undefined || admission.get(state.definition.key, "create", subresource) === undefined) return object
  const manager = managerName(fieldManager, identity.userAgent)
  return runAllSteps(ownership.createdInSteps({ definition, subresource, manager }, object))
}
