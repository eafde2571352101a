import { type AuthorizationAnswer, type AuthorizationCheck, Authorizer, ResourceCheck, type Value } from "@rollcall/cel"
import type { UserInfo } from "../attributes.ts"
import type { AdmissionAuthorizer } from "../ports.ts"
import type { Subject } from "../Subject.ts"

/** Answers the checks of the expressions of one request; equal checks are asked once. */
export class Checks {
  private readonly authorizer: AdmissionAuthorizer | undefined
  private readonly user: UserInfo
  private readonly known = new Map<string, AuthorizationAnswer>()

  constructor(authorizer: AdmissionAuthorizer | undefined, user: UserInfo) {
    this.authorizer = authorizer
    this.user = user
  }

  answer(check: AuthorizationCheck): AuthorizationAnswer {
    const key = JSON.stringify(check)
    const known = this.known.get(key) ?? this.ask(check)
    this.known.set(key, known)
    return known
  }

  private ask(check: AuthorizationCheck): AuthorizationAnswer {
    if (this.authorizer === undefined) return { allowed: true, reason: "" }
    const { fieldSelector, group, labelSelector, name, namespace, path, resource, serviceAccount, subresource, verb } =
      check
    const { decision, evaluationError, reason } = this.authorizer.authorize({
      user: serviceAccount === undefined ? this.user : userOf(serviceAccount),
      verb,
      isResource: path === undefined,
      path: path ?? "",
      group,
      version: path === undefined ? "*" : "",
      resource,
      subresource,
      namespace,
      name,
      ...(fieldSelector ? { fieldSelector } : {}),
      ...(labelSelector ? { labelSelector } : {})
    })
    return {
      allowed: decision === "Allow",
      reason,
      ...(evaluationError === undefined ? {} : { error: evaluationError })
    }
  }
}

const userOf = ({ name, namespace }: { readonly name: string; readonly namespace: string }): UserInfo => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"]
})

/** Returns `authorizer` and `authorizer.requestResource` of expressions. */
export const authorizerValues = (checks: Checks, subject: Subject): Readonly<Record<string, Value>> => {
  const { name, namespace, resource, subresource } = subject
  const authorize = (check: AuthorizationCheck) => checks.answer(check)
  return {
    authorizer: new Authorizer(authorize),
    "authorizer.requestResource": new ResourceCheck(authorize, {
      group: resource.group,
      resource: resource.resource,
      subresource,
      namespace,
      name
    })
  }
}
