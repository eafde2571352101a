import { forbidden, groupResourceOf, notFound, type Pod, resourceOf, type Status, tokenAudiences } from "@rollcall/api"
import { nodeNameOf } from "@rollcall/rbac"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authorizer, SecuritySource } from "../../core/ports/Security.ts"

/** A requested service account token. */
export interface TokenRequestAttributes {
  readonly namespace: string
  /** The name of the account. */
  readonly name: string
  /** The object to which the token is to be bound, if it is to be. */
  readonly ref:
    | { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string }
    | undefined
  readonly audiences: ReadonlyArray<string>
}

const serviceAccounts = groupResourceOf(resourceOf("ServiceAccount"))

/**
 * Returns why a kubelet may not request this token (NodeRestriction), or undefined for others than kubelets: it may
 * request tokens only for pods on its node, and only for audiences that the pod mounts. Upstream:
 * plugin/pkg/admission/noderestriction/admission.go, admitServiceAccount.
 */
export const nodeTokenRefusal = (
  user: UserInfo,
  wanted: TokenRequestAttributes,
  source: SecuritySource,
  authorizer: Authorizer
): Status | undefined => {
  const node = nodeNameOf(user)
  if (node === undefined) return undefined
  const refusal = refusalOf(node, user, wanted, source, authorizer)
  return typeof refusal === "string" ? forbidden(serviceAccounts, wanted.name, refusal) : refusal
}

const refusalOf = (
  node: string,
  user: UserInfo,
  wanted: TokenRequestAttributes,
  source: SecuritySource,
  authorizer: Authorizer
): string | Status | undefined => {
  const { audiences, namespace, ref } = wanted
  if (node === "") return `could not determine node from user ${JSON.stringify(user.user)}`
  if (ref?.apiVersion !== "v1" || ref.kind !== "Pod" || ref.name === "")
    return "node requested token not bound to a pod"
  if (ref.uid === "") return "node requested token with a pod binding without a uid"
  const pod = source.get("Pod", namespace, ref.name) as Pod | undefined
  if (pod === undefined) return notFound({ group: "", resource: "pod" }, ref.name)
  if (ref.uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (pod.spec.nodeName !== node) return "node requested token bound to a pod scheduled on a different node"
  const [audience = "", ...more] = audiences
  if (more.length > 0) return "node may only request 0 or 1 audiences"
  return tokenAudiences(pod).has(audience) || mayRequest(authorizer, user, wanted, audience)
    ? undefined
    : `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.user} is not authorized to request tokens for this audience`
}

/** Whether the authorizer lets the user request tokens of the account for this audience. */
const mayRequest = (
  authorizer: Authorizer,
  user: UserInfo,
  { name, namespace }: TokenRequestAttributes,
  audience: string
): boolean =>
  authorizer.authorize({
    user,
    verb: "request-serviceaccounts-token-audience",
    isResource: true,
    path: "",
    group: "",
    version: "",
    resource: audience,
    subresource: "",
    namespace,
    name
  }).decision === "Allow"
