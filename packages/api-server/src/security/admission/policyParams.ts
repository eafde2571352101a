import {
  invalid,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type ParamKind,
  type Resource,
  type Status
} from "@rollcall/api"
import { ErrorList } from "@rollcall/api/validation"
import { privilegedGroup } from "@rollcall/rbac"
import type { AdmissionAttributes, AdmissionPlugin, UserInfo } from "../../core/admission/Admission.ts"
import type { Authorizer, RequestAttributes, SecuritySource } from "../../core/ports/Security.ts"

/* Upstream: pkg/registry/admissionregistration, authz.go of each kind. */

/** What policies and bindings have in common. */
type PolicySpec = NonNullable<MutatingAdmissionPolicy["spec"]>
type BindingSpec = NonNullable<MutatingAdmissionPolicyBinding["spec"]>
type Source = Pick<SecuritySource, "findResource" | "get">
type Asked = Pick<RequestAttributes, "group" | "name" | "namespace" | "resource" | "verb" | "version">

const policyKinds: ReadonlySet<string> = new Set(["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"])
const bindingKinds: ReadonlyMap<string, string> = new Map([
  ["MutatingAdmissionPolicyBinding", "MutatingAdmissionPolicy"],
  ["ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"]
])

/** Prints a user as Go's `%v` does. */
const userText = ({ extra = {}, groups, uid = "", user }: UserInfo): string => {
  const entries = Object.entries(extra).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const pairs = entries.map(([key, values]) => `${key}:[${values.join(" ")}]`)
  return `&{${user} ${uid} [${groups.join(" ")}] map[${pairs.join(" ")}]}`
}

const isAllowed = (authorizer: Authorizer, user: UserInfo, asked: Asked): boolean =>
  authorizer.authorize({ user, isResource: true, path: "", subresource: "", ...asked }).decision === "Allow"

const everything = { group: "*", version: "*", resource: "*" }

const scopeOf = ({ apiVersion = "" }: ParamKind, resource: Resource | undefined): typeof everything => {
  const slash = apiVersion.indexOf("/")
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)]
  return { group, version, resource: resource?.plural ?? "*" }
}

const find = (source: Source, { apiVersion = "", kind = "" }: ParamKind): Resource | undefined =>
  source.findResource?.(apiVersion, kind)

/** Returns why the author of a policy may not name this kind of parameters, or undefined. */
const kindRefusal = (
  authorizer: Authorizer,
  source: Source,
  { object, oldObject, userInfo }: AdmissionAttributes
): string | undefined => {
  const { paramKind } = (object as { readonly spec?: PolicySpec }).spec ?? {}
  const { paramKind: before } = (oldObject as { readonly spec?: PolicySpec } | undefined)?.spec ?? {}
  if (paramKind === undefined) return undefined
  const { apiVersion = "", kind = "" } = paramKind
  if (before !== undefined && (before.apiVersion ?? "") === apiVersion && (before.kind ?? "") === kind) return undefined
  const asked = { ...scopeOf(paramKind, find(source, paramKind)), verb: "get", namespace: "*", name: "*" }
  if (isAllowed(authorizer, userInfo, asked)) return undefined
  return `user ${userText(userInfo)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
}

/**
 * Returns why the author of a binding may not refer to these parameters, or undefined. An update is asked about too:
 * upstream compares the addresses of what both objects refer to, which always differ.
 */
const referenceRefusal = (
  authorizer: Authorizer,
  source: Source,
  { kind, object, userInfo }: AdmissionAttributes,
  policyKind: string
): string | undefined => {
  const { paramRef, policyName = "" } = (object as { readonly spec?: BindingSpec }).spec ?? {}
  if (paramRef === undefined) return undefined
  const { name = "", namespace = "" } = paramRef
  const policy = source.get(policyKind, "", policyName) as { readonly spec?: PolicySpec } | undefined
  const paramKind = policy?.spec?.paramKind
  const resource = paramKind && find(source, paramKind)
  const verb = name === "" ? "list" : "get"
  const scope = paramKind === undefined ? everything : scopeOf(paramKind, resource)
  if (isAllowed(authorizer, userInfo, { ...scope, verb, namespace, name })) return undefined
  const who = userText(userInfo)
  const lacking = `to determine minimum required permissions and user ${who} does not have "${verb}" permission for all groups, versions and resources`
  if (policy === undefined) return `unable to get policy ${policyName} ${lacking}`
  if (paramKind !== undefined && resource === undefined) {
    return `unable to resolve paramKind &{${paramKind.apiVersion} ${paramKind.kind}} ${lacking}`
  }
  // Upstream's message about the other kind has the two values in the wrong order.
  const [first, second] = kind === "ValidatingAdmissionPolicyBinding" ? [who, verb] : [verb, who]
  return `user ${first} does not have "${second}" permission on the object referenced by paramRef`
}

const refusal = ({ kind, name, resource: { group } }: AdmissionAttributes, at: string, why: string): Status => {
  const errors = new ErrorList()
  errors.forbidden(at, why)
  return invalid({ group, kind }, name, errors.all)
}

/** Lets only those write policies and bindings with parameters who may read these parameters. */
export const policyParams = (authorizer: Authorizer, source: Source): AdmissionPlugin => ({
  name: "policy params",
  admits: (kind, verb, subresource) =>
    verb !== "delete" && subresource === undefined && (policyKinds.has(kind) || bindingKinds.has(kind)),
  validate: (attributes) => {
    if (attributes.userInfo.groups.includes(privilegedGroup)) return undefined
    const policyKind = bindingKinds.get(attributes.kind)
    const [at, why] =
      policyKind === undefined
        ? ["spec.paramKind", kindRefusal(authorizer, source, attributes)]
        : ["spec.paramRef", referenceRefusal(authorizer, source, attributes, policyKind)]
    return why === undefined ? undefined : refusal(attributes, at as string, why)
  }
})
