import { nodeLeaseNamespace, parseFieldSelector } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Authorizer, Decision, RequestAttributes } from "../../core/ports/Security.ts"
import { nodeNameOf } from "../identity.ts"
import { nodeRules } from "../rbac/bootstrap/index.ts"
import { ruleAllows } from "../rbac/rules.ts"
import type { Referenced, ReferenceGraph } from "./ReferenceGraph.ts"

/** Whether an object is related to the requesting node. */
export type Reaches = (type: Referenced, namespace: string, name: string) => boolean

const allow: Decision = { decision: "Allow", reason: "" }
const noOpinion: Decision = { decision: "NoOpinion", reason: "" }
const because = (reason: string): Decision => ({ decision: "NoOpinion", reason })

/**
 * Authorizes kubelets: for objects related to the pods on their node, for objects with the node's own name, and for the
 * few actions that all kubelets may take. It never denies, so that other authorizers are asked. Upstream:
 * plugin/pkg/auth/authorizer/node/node_authorizer.go.
 */
export const nodeAuthorizer = (graph: ReferenceGraph): Authorizer => ({
  authorize: (request) => {
    const node = nodeNameOf(request.user)
    if (node === undefined) return noOpinion
    if (node === "") return because(`unknown node for user ${JSON.stringify(request.user.user)}`)
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

type Rule = (request: RequestAttributes, node: string, reaches: Reaches) => Decision

/** Decides for a node whose name is known. */
export const decideForNode: Rule = (request, node, reaches) => {
  const own = request.isResource ? rules[`${request.group}/${request.resource}`] : undefined
  if (own !== undefined) return own(request, node, reaches)
  return nodeRules.some((rule) => ruleAllows(rule, request)) ? allow : noOpinion
}

const related = (
  { name, namespace }: RequestAttributes,
  type: Referenced,
  node: string,
  reaches: Reaches
): Decision => {
  if (name === "") return because("No Object name found")
  return reaches(type, namespace, name)
    ? allow
    : because(`no relationship found between node '${node}' and this object`)
}

const isRead = (verb: string): boolean => verb === "get" || verb === "list" || verb === "watch"

const readsNamespaced =
  (type: Referenced): Rule =>
  (request, node, reaches) => {
    if (!isRead(request.verb)) return because("can only read resources of this type")
    if (request.subresource !== "") return because("cannot read subresource")
    if (request.namespace === "") return because("can only read namespaced object of this type")
    return related(request, type, node, reaches)
  }

const gets =
  (type: Referenced): Rule =>
  (request, node, reaches) => {
    if (request.verb !== "get") return because("can only get individual resources of this type")
    return request.subresource === "" ? related(request, type, node, reaches) : because("cannot get subresource")
  }

const claims: Rule = (request, node, reaches) => {
  if (request.subresource !== "status") return gets("persistentvolumeclaim")(request, node, reaches)
  return request.verb === "update" || request.verb === "patch"
    ? related(request, "persistentvolumeclaim", node, reaches)
    : because("can only get/update/patch this type")
}

const serviceAccounts: Rule = (request, node, reaches) => {
  const { name, subresource, verb } = request
  if (verb === "get" && subresource === "") return related(request, "serviceaccount", node, reaches)
  if (verb !== "create" || name === "") return because("can only create tokens for individual service accounts")
  if (subresource !== "token") return because("can only create token subresource of serviceaccount")
  return related(request, "serviceaccount", node, reaches)
}

const ownVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"])

const leases: Rule = ({ name, namespace, verb }, node) => {
  if (!ownVerbs.has(verb)) return because("can only get, create, update, patch, or delete a node lease")
  if (namespace !== nodeLeaseNamespace) {
    return because(`can only access leases in the "${nodeLeaseNamespace}" system namespace`)
  }
  // The name of a created object is not known yet; NodeRestriction checks it.
  return verb === "create" || name === node
    ? allow
    : because("can only access node lease with the same name as the requesting node")
}

const csiNodes: Rule = ({ name, subresource, verb }, node) => {
  if (!ownVerbs.has(verb)) return because("can only get, create, update, patch, or delete a CSINode")
  if (subresource !== "") return because("cannot authorize CSINode subresources")
  return verb === "create" || name === node
    ? allow
    : because("can only access CSINode with the same name as the requesting node")
}

const resourceSlices: Rule = (request, node, reaches) => {
  if (request.subresource !== "") return because("cannot authorize ResourceSlice subresources")
  switch (request.verb) {
    case "create":
      return allow
    case "get":
    case "update":
    case "patch":
    case "delete":
      return related(request, "resourceslice", node, reaches)
    case "list":
    case "watch":
    case "deletecollection":
      return selects(request, "spec.nodeName", node)
        ? allow
        : because("can only list/watch/deletecollection resourceslices with nodeName field selector")
    default:
      return because(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection"
      )
  }
}

const nodes: Rule = ({ name, subresource, verb }, node) => {
  const writes = verb === "update" || verb === "patch"
  if (subresource === "status") return writes ? allow : noOpinion
  if (subresource !== "") return noOpinion
  // For any node: NodeRestriction checks that it is its own.
  if (verb === "create" || writes) return allow
  if (!isRead(verb)) return noOpinion
  if (name === node) return allow
  return because(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`
  )
}

const pods: Rule = (request, node, reaches) => {
  const { name, subresource, verb } = request
  if (subresource === "status") return verb === "update" || verb === "patch" ? allow : noOpinion
  if (subresource === "eviction") return verb === "create" ? allow : noOpinion
  if (subresource !== "") return noOpinion
  switch (verb) {
    case "create":
    case "delete":
      return allow
    case "get":
      return related(request, "pod", node, reaches)
    case "list":
    case "watch":
      if (selects(request, "spec.nodeName", node)) return allow
      return name === ""
        ? because("can only list/watch pods with spec.nodeName field selector")
        : related(request, "pod", node, reaches)
    default:
      return noOpinion
  }
}

/** Whether the request's field selector requires exactly this value. */
const selects = ({ fieldSelector = "" }: RequestAttributes, field: string, value: string): boolean => {
  if (fieldSelector === "") return false
  if (fieldSelector === `${field}=${value}`) return true
  const selector = parseFieldSelector(fieldSelector)
  return (
    Result.isSuccess(selector) &&
    selector.success.terms.some((term) => term.field === field && term.operator !== "!=" && term.value === value)
  )
}

const rules: Readonly<Record<string, Rule>> = {
  "/secrets": readsNamespaced("secret"),
  "/configmaps": readsNamespaced("configmap"),
  "/persistentvolumeclaims": claims,
  "/persistentvolumes": gets("persistentvolume"),
  "resource.k8s.io/resourceclaims": gets("resourceclaim"),
  "storage.k8s.io/volumeattachments": gets("volumeattachment"),
  "/serviceaccounts": serviceAccounts,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": resourceSlices,
  "/nodes": nodes,
  "/pods": pods
}
