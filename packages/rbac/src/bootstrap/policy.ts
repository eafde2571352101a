import type { KubeObject } from "@rollcall/api"
import { clusterRoleBindings, clusterRoles } from "./clusterRoles.ts"
import { controllerRoleBindings, controllerRoles } from "./controllerRoles.ts"
import { namespaceRoleBindings, namespaceRoles } from "./namespaceRoles.ts"
import { userRoles } from "./userRoles.ts"

export { nodeRules } from "./clusterRoles.ts"

/** The roles and bindings that a server with RBAC makes when it starts and finds them missing. */
export const bootstrapPolicy: ReadonlyArray<KubeObject> = [
  ...clusterRoles,
  ...userRoles,
  ...controllerRoles,
  ...clusterRoleBindings,
  ...controllerRoleBindings,
  ...namespaceRoles,
  ...namespaceRoleBindings
]
