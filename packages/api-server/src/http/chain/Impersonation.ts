import { goQuote, type Status } from "@rollcall/api"
import {
  checkDomainPrefixedPath,
  ErrorList,
  fieldErrorsText,
  isDNS1123Label,
  isDNS1123Subdomain
} from "@rollcall/api/validation"
import type { UserInfo } from "../../core/admission/Admission.ts"
import { authorizationRefusal } from "../../core/ports/authorizationRefusal.ts"
import type { RequestAttributes } from "../../core/ports/Security.ts"
import type { Call } from "../call/Call.ts"
import { isStatus } from "../request/Query.ts"
import { type Access, attributesOf, authorize } from "./access.ts"
import { type WantedUser, wantedUserOf } from "./wantedUser.ts"

/*
 * Who a caller may impersonate. A constrained mode asks whether the caller may do this request as any user of a kind,
 * then whether it may be this user; the legacy mode asks only the latter. Upstream:
 * apiserver/pkg/endpoints/filters/impersonation.
 */

const IMPERSONATE = "impersonate-"

/** Whether any header requests impersonation. */
const impersonates = (call: Call): boolean => {
  for (const name in call.request.headers) if (name.startsWith(IMPERSONATE)) return true
  return false
}

/** Returns the namespace and the name of a service account; undefined for a user name that is that of none. */
const accountOf = (user: string): readonly [namespace: string, name: string] | undefined => {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  if (namespace === "" || isDNS1123Label(namespace).length > 0 || isDNS1123Subdomain(name).length > 0) return undefined
  return [namespace, name]
}

const NODE_PREFIX = "system:node:"

/** Returns the node of a user name; undefined if it is that of no node. */
const nodeOf = (user: string): string | undefined => {
  const name = user.startsWith(NODE_PREFIX) ? user.slice(NODE_PREFIX.length) : ""
  return name !== "" && isDNS1123Subdomain(name).length === 0 ? name : undefined
}

const hasOnlyName = ({ extra, groups, uid }: WantedUser): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0

const NODE_NAME = "authentication.kubernetes.io/node-name"

/** Whether a caller is a service account whose token is bound to a pod on this node. */
const isOnNode = ({ extra, user }: UserInfo, node: string | undefined): boolean => {
  const nodes = extra?.[NODE_NAME] ?? []
  return node !== undefined && accountOf(user) !== undefined && nodes.length === 1 && nodes[0] === node
}

/** A way to impersonate: `legacy`, or a constrained one. */
interface Mode {
  readonly name: "associated-node" | "arbitrary-node" | "serviceaccount" | "user-info" | "legacy"
  readonly applies: (wanted: WantedUser, caller: UserInfo) => boolean
}

/** In the order in which they are tried. */
const modes: ReadonlyArray<Mode> = [
  {
    name: "associated-node",
    applies: (wanted, caller) => hasOnlyName(wanted) && isOnNode(caller, nodeOf(wanted.user))
  },
  { name: "arbitrary-node", applies: (wanted) => hasOnlyName(wanted) && nodeOf(wanted.user) !== undefined },
  { name: "serviceaccount", applies: (wanted) => hasOnlyName(wanted) && accountOf(wanted.user) !== undefined },
  { name: "user-info", applies: ({ user }) => nodeOf(user) === undefined && accountOf(user) === undefined },
  { name: "legacy", applies: () => true }
]

/** One question to the authorizer, and what refuses without asking. */
type Check = Pick<RequestAttributes, "group" | "resource" | "namespace" | "name" | "subresource"> & {
  readonly fault?: string
}

const AUTHENTICATION = "authentication.k8s.io"

const check = (group: string, resource: string, name: string, subresource = "", namespace = ""): Check => ({
  group,
  resource,
  namespace,
  name,
  subresource
})

const nameCheck = (user: string, mode: Mode["name"]): Check => {
  const group = mode === "legacy" ? "" : AUTHENTICATION
  const node = mode === "legacy" ? undefined : nodeOf(user)
  const account = accountOf(user)
  if (account !== undefined) return check(group, "serviceaccounts", account[1], "", account[0])
  if (node === undefined) return check(group, "users", user)
  // The answer for one node of the caller holds for all.
  return check(group, "nodes", mode === "associated-node" ? "*" : node)
}

/** Returns why a constrained mode refuses groups without asking, with the name that the refusal has. */
const groupsFault = (groups: ReadonlyArray<string>): Check | undefined => {
  const named = (name: string, fault: string) => ({ ...check(AUTHENTICATION, "groups", name), fault })
  if (groups.includes("")) return named("", "impersonating the empty string group is not allowed")
  const privileged = "system:masters"
  return groups.includes(privileged)
    ? named(privileged, `impersonating the ${privileged} group is not allowed`)
    : undefined
}

/** Returns why a constrained mode refuses extra values without asking. */
const extraFault = (extra: WantedUser["extra"]): string | undefined => {
  for (const [key, values] of Object.entries(extra)) {
    if (key === "") return "impersonating the empty string key in extra is not allowed"
    const errors = new ErrorList()
    checkDomainPrefixedPath(errors, key, "extra.key")
    const { all } = errors
    if (all.length > 0) return `impersonating an invalid key in extra is not allowed: ${fieldErrorsText(all)}`
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`
    if (values.length === 0) return "impersonating empty values in extra is not allowed"
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed"
  }
  return undefined
}

/** Returns what a mode asks the authorizer about the wanted user, in order. */
export const checksOf = ({ extra, groups, uid, user }: WantedUser, mode: Mode["name"]): ReadonlyArray<Check> => {
  const isConstrained = mode !== "legacy"
  const checks = [nameCheck(user, mode)]
  if (uid !== "") checks.push(check(AUTHENTICATION, "uids", uid))
  const refusedGroups = isConstrained ? groupsFault(groups) : undefined
  if (refusedGroups !== undefined) checks.push(refusedGroups)
  for (const name of groups) checks.push(check(isConstrained ? AUTHENTICATION : "", "groups", name))
  const fault = isConstrained ? extraFault(extra) : undefined
  if (fault !== undefined) checks.push({ ...check(AUTHENTICATION, "userextras", ""), fault })
  for (const [key, values] of Object.entries(extra)) {
    for (const name of values) checks.push(check(AUTHENTICATION, "userextras", name, key))
  }
  return checks
}

/** Returns the groups of the impersonated user: the requested ones, and those that its kind of user has. */
const groupsOf = ({ groups, user }: WantedUser, mode: Mode["name"]): ReadonlyArray<string> => {
  const account = accountOf(user)
  let own = groups
  if (mode !== "legacy" && nodeOf(user) !== undefined) own = ["system:nodes"]
  else if (groups.length === 0 && account !== undefined) {
    own = ["system:serviceaccounts", `system:serviceaccounts:${account[0]}`]
  }
  const isAnonymous = user === "system:anonymous"
  if (!isAnonymous && own.includes("system:unauthenticated")) return own
  const implied = isAnonymous ? "system:unauthenticated" : "system:authenticated"
  return own.includes(implied) ? own : [...own, implied]
}

/** Returns the caller as the authorizer sees it: that of an associated node without what tells one pod from another. */
const callerIn = (mode: Mode["name"], caller: UserInfo): UserInfo =>
  mode === "associated-node"
    ? {
        ...caller,
        extra: { "authentication.kubernetes.io/associated-node-keys": Object.keys(caller.extra ?? {}).toSorted() }
      }
    : caller

/** Returns the user that a mode allows, or its refusal. */
const impersonatedIn = (
  access: Access,
  call: Call,
  caller: UserInfo,
  wanted: WantedUser,
  mode: Mode["name"]
): UserInfo | Status => {
  const requestor = callerIn(mode, caller)
  const request = attributesOf(call, requestor)
  if (mode !== "legacy") {
    const refusal = authorize(access, { ...request, verb: `impersonate-on:${mode}:${request.verb}` })
    if (refusal !== undefined) return refusal
  }
  const verb = mode === "legacy" ? "impersonate" : `impersonate:${mode}`
  for (const { fault, ...about } of checksOf(wanted, mode)) {
    const attributes = { user: requestor, verb, isResource: true, path: request.path, version: "v1", ...about }
    const refusal =
      fault === undefined
        ? authorize(access, attributes)
        : authorizationRefusal(attributes, { decision: "Deny", reason: fault })
    if (refusal !== undefined) return refusal
  }
  const { extra, uid, user } = wanted
  return {
    user,
    groups: groupsOf(wanted, mode),
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra })
  }
}

/** Upstream: newModeIndexCache. */
const MAX_REMEMBERED = 10_000

/** Decides about impersonation, and remembers by caller which mode allowed it last: that one is tried first. */
export class Impersonation {
  private readonly access: Access
  private readonly modes: ReadonlyArray<Mode>
  private readonly lastModes = new Map<string, Mode>()

  /** Without the feature gate ConstrainedImpersonation there is only the legacy mode. */
  constructor(access: Access, isConstrained: boolean) {
    this.access = access
    this.modes = isConstrained ? modes : modes.filter(({ name }) => name === "legacy")
  }

  /**
   * Returns the user of the request: the caller, or the user that it impersonates; or the Status that refuses, which is
   * that of the first mode.
   */
  userOf(call: Call, caller: UserInfo): UserInfo | Status {
    if (!impersonates(call)) return caller
    const wanted = wantedUserOf(call)
    if (wanted === undefined) return caller
    if (isStatus(wanted)) return wanted
    const last = this.lastModes.get(caller.user)
    let refusal: Status | undefined
    for (const mode of last === undefined ? this.modes : [last, ...this.modes.filter((other) => other !== last)]) {
      if (!mode.applies(wanted, caller)) continue
      const answer = impersonatedIn(this.access, call, caller, wanted, mode.name)
      if (!isStatus(answer)) {
        this.remember(caller.user, mode)
        return answer
      }
      refusal ??= answer
    }
    return refusal as Status
  }

  private remember(user: string, mode: Mode): void {
    this.lastModes.delete(user)
    this.lastModes.set(user, mode)
    if (this.lastModes.size <= MAX_REMEMBERED) return
    for (const [oldest] of this.lastModes) {
      this.lastModes.delete(oldest)
      break
    }
  }
}
