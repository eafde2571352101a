import { nodesGroup, nodeUserPrefix } from "@rollcall/api"

/* The groups and users that the API server knows. Upstream: apiserver/pkg/authentication/user/user.go. */

/** The user of a request. */
export interface RbacUser {
  readonly user: string
  readonly groups: ReadonlyArray<string>
}

/** The group whose members may do everything. */
export const privilegedGroup = "system:masters"
export const authenticatedGroup = "system:authenticated"
export const unauthenticatedGroup = "system:unauthenticated"
export const serviceAccountsGroup = "system:serviceaccounts"
export const serviceAccountUserPrefix = "system:serviceaccount:"

/** Returns the user name of a service account: `system:serviceaccount:<namespace>:<name>`. */
export const serviceAccountUser = (namespace: string, name: string): string =>
  `${serviceAccountUserPrefix}${namespace}:${name}`

/**
 * Returns the node name of a kubelet, or undefined if the user is not a kubelet. The name is empty for the user
 * `system:node:`, which callers must refuse. Upstream: pkg/auth/nodeidentifier/default.go.
 */
export const nodeNameOf = ({ groups, user }: RbacUser): string | undefined =>
  user.startsWith(nodeUserPrefix) && groups.includes(nodesGroup) ? user.slice(nodeUserPrefix.length) : undefined
