import { nodeLeaseNamespace, parseFieldSelector } from "@rollcall/api"
import { nodeNameOf, nodeRules, ruleAllows } from "@rollcall/rbac"
import * as Result from "effect/Result"
import type { Authorizer, Decision, RequestAttributes } from "../../core/ports/Security.ts"
import type { Referenced, ReferenceGraph } from "./ReferenceGraph.ts"

/** Whether an object is related to the requesting node, as `ReferenceGraph` defines it. */
export type IsRelated = (type: Referenced, namespace: string, name: string) => boolean

const allow: Decision = { decision: "Allow", reason: "" }
const noOpinion: Decision = { decision: "NoOpinion", reason: "" }
const noOpinionBecause = (reason: string): Decision => ({ decision: "NoOpinion", reason })

/**
 * Authorizes kubelets: for objects related to the pods on their node, for objects with the node's own name, and for the
 * few actions that all kubelets may take. It never denies, so that other authorizers are asked. Upstream:
 * plugin/pkg/auth/authorizer/node/node_authorizer.go.
 */
export const nodeAuthorizer = (graph: ReferenceGraph): Authorizer => ({
  authorize: (request) => {
    const node = nodeNameOf(request.user)
    if (node === undefined) return noOpinion
    if (node === "") return noOpinionBecause(`unknown node for user ${JSON.stringify(request.user.user)}`)
    return decideForNode(request, node, (type, namespace, name) => graph.isRelated(type, namespace, name, node))
  },
  rulesFor: (user) =>
    nodeNameOf(user) === undefined
      ? { resourceRules: [], nonResourceRules: [], incomplete: false }
      : {
          resourceRules: [],
          nonResourceRules: [],
          incomplete: true,
          evaluationError: "node authorizer does not support user rule resolution"
        }
})

/** Decides on a node's requests for one resource. */
type Rule = (request: RequestAttributes, node: string, isRelated: IsRelated) => Decision

/** Decides on a request of a node: by the rule of its resource, or, for other resources and paths, by `nodeRules`. */
export const decideForNode: Rule = (request, node, isRelated) => {
  const resourceRule = request.isResource ? rules[`${request.group}/${request.resource}`] : undefined
  if (resourceRule !== undefined) return resourceRule(request, node, isRelated)
  return nodeRules.some((rule) => ruleAllows(rule, request)) ? allow : noOpinion
}

/** Allows the request if the object is related to the node. */
const decideRelated = (
  { name, namespace }: RequestAttributes,
  type: Referenced,
  node: string,
  isRelated: IsRelated
): Decision => {
  if (name === "") return noOpinionBecause("No Object name found")
  return isRelated(type, namespace, name)
    ? allow
    : noOpinionBecause(`no relationship found between node '${node}' and this object`)
}

const isRead = (verb: string): boolean => verb === "get" || verb === "list" || verb === "watch"

/** Allows reading related objects, also by lists and watches of one name, as kubelets do for secrets and config maps. */
const readsRelated =
  (type: Referenced): Rule =>
  (request, node, isRelated) => {
    if (!isRead(request.verb)) return noOpinionBecause("can only read resources of this type")
    if (request.subresource !== "") return noOpinionBecause("cannot read subresource")
    if (request.namespace === "") return noOpinionBecause("can only read namespaced object of this type")
    return decideRelated(request, type, node, isRelated)
  }

/** Allows get of related objects. */
const getsRelated =
  (type: Referenced): Rule =>
  (request, node, isRelated) => {
    if (request.verb !== "get") return noOpinionBecause("can only get individual resources of this type")
    return request.subresource === ""
      ? decideRelated(request, type, node, isRelated)
      : noOpinionBecause("cannot get subresource")
  }

const claims: Rule = (request, node, isRelated) => {
  if (request.subresource !== "status") return getsRelated("persistentvolumeclaim")(request, node, isRelated)
  return request.verb === "update" || request.verb === "patch"
    ? decideRelated(request, "persistentvolumeclaim", node, isRelated)
    : noOpinionBecause("can only get/update/patch this type")
}

const serviceAccounts: Rule = (request, node, isRelated) => {
  const { name, subresource, verb } = request
  if (verb === "get" && subresource === "") return decideRelated(request, "serviceaccount", node, isRelated)
  if (verb !== "create" || name === "")
    return noOpinionBecause("can only create tokens for individual service accounts")
  if (subresource !== "token") return noOpinionBecause("can only create token subresource of serviceaccount")
  return decideRelated(request, "serviceaccount", node, isRelated)
}

const ownVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"])

const leases: Rule = ({ name, namespace, verb }, node) => {
  if (!ownVerbs.has(verb)) return noOpinionBecause("can only get, create, update, patch, or delete a node lease")
  if (namespace !== nodeLeaseNamespace) {
    return noOpinionBecause(`can only access leases in the "${nodeLeaseNamespace}" system namespace`)
  }
  // The name of a created object is not known yet; NodeRestriction checks it.
  return verb === "create" || name === node
    ? allow
    : noOpinionBecause("can only access node lease with the same name as the requesting node")
}

const csiNodes: Rule = ({ name, subresource, verb }, node) => {
  if (!ownVerbs.has(verb)) return noOpinionBecause("can only get, create, update, patch, or delete a CSINode")
  if (subresource !== "") return noOpinionBecause("cannot authorize CSINode subresources")
  return verb === "create" || name === node
    ? allow
    : noOpinionBecause("can only access CSINode with the same name as the requesting node")
}

const resourceSlices: Rule = (request, node, isRelated) => {
  if (request.subresource !== "") return noOpinionBecause("cannot authorize ResourceSlice subresources")
  switch (request.verb) {
    case "create":
      return allow
    case "get":
    case "update":
    case "patch":
    case "delete":
      return decideRelated(request, "resourceslice", node, isRelated)
    case "list":
    case "watch":
    case "deletecollection":
      return requiresField(request, "spec.nodeName", node)
        ? allow
        : noOpinionBecause("can only list/watch/deletecollection resourceslices with nodeName field selector")
    default:
      return noOpinionBecause(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection"
      )
  }
}

const nodes: Rule = ({ name, subresource, verb }, node) => {
  const writes = verb === "update" || verb === "patch"
  if (subresource === "status") return writes ? allow : noOpinion
  if (subresource !== "") return noOpinion
  // Allowed for any name, because that of a created object is not known yet; NodeRestriction checks that it is the node's.
  if (verb === "create" || writes) return allow
  if (!isRead(verb)) return noOpinion
  if (name === node) return allow
  return noOpinionBecause(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`
  )
}

const pods: Rule = (request, node, isRelated) => {
  const { name, subresource, verb } = request
  if (subresource === "status") return verb === "update" || verb === "patch" ? allow : noOpinion
  if (subresource === "eviction") return verb === "create" ? allow : noOpinion
  if (subresource !== "") return noOpinion
  switch (verb) {
    case "create":
    case "delete":
      return allow
    case "get":
      return decideRelated(request, "pod", node, isRelated)
    case "list":
    case "watch":
      if (requiresField(request, "spec.nodeName", node)) return allow
      return name === ""
        ? noOpinionBecause("can only list/watch pods with spec.nodeName field selector")
        : decideRelated(request, "pod", node, isRelated)
    default:
      return noOpinion
  }
}

/** Whether the request's field selector requires exactly this value. */
const requiresField = ({ fieldSelector = "" }: RequestAttributes, field: string, value: string): boolean => {
  if (fieldSelector === "") return false
  if (fieldSelector === `${field}=${value}`) return true
  const selector = parseFieldSelector(fieldSelector)
  return (
    Result.isSuccess(selector) &&
    selector.success.terms.some((term) => term.field === field && term.operator !== "!=" && term.value === value)
  )
}

/** The rules by group and resource. */
const rules: Readonly<Record<string, Rule>> = {
  "/secrets": readsRelated("secret"),
  "/configmaps": readsRelated("configmap"),
  "/persistentvolumeclaims": claims,
  "/persistentvolumes": getsRelated("persistentvolume"),
  "resource.k8s.io/resourceclaims": getsRelated("resourceclaim"),
  "storage.k8s.io/volumeattachments": getsRelated("volumeattachment"),
  "/serviceaccounts": serviceAccounts,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": resourceSlices,
  "/nodes": nodes,
  "/pods": pods
}
