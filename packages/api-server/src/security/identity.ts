import { nodesGroup, nodeUserPrefix } from "@rollcall/api"
import type { UserInfo } from "../core/admission/Admission.ts"

/** Groups that the API server knows. Upstream: staging/src/k8s.io/apiserver/pkg/authentication/user/user.go. */
export const privilegedGroup = "system:masters"
export const authenticatedGroup = "system:authenticated"
export const unauthenticatedGroup = "system:unauthenticated"
export const serviceAccountsGroup = "system:serviceaccounts"
export const serviceAccountUserPrefix = "system:serviceaccount:"

export const serviceAccountUser = (namespace: string, name: string): string =>
  `${serviceAccountUserPrefix}${namespace}:${name}`

/**
 * Returns the node name of a kubelet; undefined: not a kubelet; empty: a kubelet without a node name. Upstream:
 * pkg/auth/nodeidentifier/default.go.
 */
export const nodeNameOf = ({ groups, user }: UserInfo): string | undefined =>
  user.startsWith(nodeUserPrefix) && groups.includes(nodesGroup) ? user.slice(nodeUserPrefix.length) : undefined
