import type { ClusterRole, PolicyRule, Role, Subject } from "@rollcall/api"
import { type Binding, rbacGroup } from "../rules.ts"

/*
 * A short notation for the roles of every cluster. Lists are texts whose words are separated by spaces; `core` is the API
 * group without a name. Lists are sorted, as upstream's are.
 */

const words = (text: string): ReadonlyArray<string> => text.split(" ").sort()
const groupsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(" ")
    .map((group) => (group === "core" ? "" : group))
    .sort()

/** The verbs that read, and those that change, for `can`. */
export const read = "get list watch"
export const write = "create delete deletecollection patch update"
export const readWrite = `${read} ${write}`

/**
 * Makes a rule from verbs, API groups and resources: `can("get list", "core apps", "pods deployments")`. With `names` it
 * allows them only for objects of these names.
 */
export const can = (verbs: string, groups: string, resources: string, names?: string): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: groupsIn(groups),
  resources: words(resources),
  ...(names === undefined ? {} : { resourceNames: words(names) })
})

/** Makes a rule that allows GET of these paths. */
export const canGet = (...urls: ReadonlyArray<string>): PolicyRule => ({
  verbs: ["get"],
  nonResourceURLs: [...urls].sort()
})

/** Allows to write events of both groups. */
export const recordEvents = can("create update patch", "core events.k8s.io", "events")

const apiVersion = "rbac.authorization.k8s.io/v1"

/**
 * The metadata of an object that a server updates when it starts. Upstream: bootstrappolicy/policy.go,
 * addDefaultMetadata.
 */
const metadata = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" }
})

const aggregateTo = (role: string) => `${rbacGroup}/aggregate-to-${role}`

export const clusterRole = (name: string, rules: ReadonlyArray<PolicyRule>): ClusterRole => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: metadata(name),
  rules
})

/** Makes a role that contributes to the aggregated role of that name. */
export const partOf = (role: string, name: string, rules: ReadonlyArray<PolicyRule>): ClusterRole => ({
  ...clusterRole(name, rules),
  metadata: metadata(name, { [aggregateTo(role)]: "true" })
})

/** Makes an aggregated role, which may itself contribute to another aggregated role (`into`). */
export const aggregated = (name: string, into?: string): ClusterRole => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: metadata(name, into === undefined ? {} : { [aggregateTo(into)]: "true" }),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: "true" } }] },
  rules: null
})

export const role = (namespace: string, name: string, rules: ReadonlyArray<PolicyRule>): Role => ({
  apiVersion,
  kind: "Role",
  metadata: { ...metadata(name), namespace },
  rules
})

export const user = (name: string): Subject => ({ kind: "User", apiGroup: rbacGroup, name })
export const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbacGroup, name })
export const serviceAccount = (namespace: string, name: string): Subject => ({
  kind: "ServiceAccount",
  name,
  namespace
})

/** Makes the binding that gives the cluster role of the same name to the subjects. */
export const clusterBinding = (name: string, ...subjects: ReadonlyArray<Subject>): Binding => ({
  apiVersion,
  kind: "ClusterRoleBinding",
  metadata: metadata(name),
  ...(subjects.length === 0 ? {} : { subjects }),
  roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name }
})

/** Makes the binding that gives a role of the namespace to the subjects. */
export const binding = (
  namespace: string,
  name: string,
  roleName: string,
  ...subjects: ReadonlyArray<Subject>
): Binding => ({
  apiVersion,
  kind: "RoleBinding",
  metadata: { ...metadata(name), namespace },
  subjects,
  roleRef: { apiGroup: rbacGroup, kind: "Role", name: roleName }
})
