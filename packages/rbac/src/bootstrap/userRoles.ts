import type { ClusterRole } from "@rollcall/api"
import { aggregated, can, partOf, read, readWrite, write } from "./notation.ts"

/** Returns the workloads of group apps, each with this subresource, for `can`. */
const workloads = (subresource: string): string =>
  ["statefulsets", "deployments", "replicasets"].map((name) => `${name} ${name}/${subresource}`).join(" ")

/**
 * The roles for users in their namespaces: admin includes edit, edit includes view, and each can be extended.
 * Upstream: bootstrappolicy/policy.go.
 */
export const userRoles: ReadonlyArray<ClusterRole> = [
  aggregated("admin"),
  aggregated("edit", "admin"),
  aggregated("view", "edit"),
  partOf("admin", "system:aggregate-to-admin", [
    can("create", "authorization.k8s.io", "localsubjectaccessreviews"),
    can(readWrite, "rbac.authorization.k8s.io", "roles rolebindings")
  ]),
  partOf("edit", "system:aggregate-to-edit", [
    can(read, "core", "pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy"),
    can("impersonate", "core", "serviceaccounts"),
    can(write, "core", "pods pods/attach pods/proxy pods/exec pods/portforward"),
    can("create", "core", "pods/eviction"),
    can(
      write,
      "core",
      "replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets"
    ),
    can("create", "core", "serviceaccounts/token"),
    can(write, "core events.k8s.io", "events"),
    can(write, "apps", `${workloads("scale")} daemonsets deployments/rollback`),
    can(write, "autoscaling", "horizontalpodautoscalers"),
    can(write, "batch", "jobs cronjobs"),
    can(
      write,
      "extensions",
      "daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale replicationcontrollers/scale networkpolicies"
    ),
    can(write, "policy", "poddisruptionbudgets"),
    can(write, "networking.k8s.io", "networkpolicies ingresses"),
    can("get list watch create update patch delete deletecollection", "coordination.k8s.io", "leases"),
    can(write, "resource.k8s.io", "resourceclaims resourceclaimtemplates")
  ]),
  partOf("view", "system:aggregate-to-view", [
    can(
      read,
      "core",
      "pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps"
    ),
    can(
      read,
      "core",
      "limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log"
    ),
    can(read, "core", "namespaces"),
    can(read, "core events.k8s.io", "events"),
    can(read, "discovery.k8s.io", "endpointslices"),
    can(
      read,
      "apps",
      `controllerrevisions ${workloads("scale")} statefulsets/status deployments/status replicasets/status daemonsets daemonsets/status`
    ),
    can(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    can(read, "batch", "jobs cronjobs cronjobs/status jobs/status"),
    can(
      read,
      "extensions",
      "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies"
    ),
    can(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    can(read, "networking.k8s.io", "networkpolicies ingresses ingresses/status"),
    can(read, "resource.k8s.io", "resourceclaims resourceclaimtemplates resourceclaims/status")
  ])
]
