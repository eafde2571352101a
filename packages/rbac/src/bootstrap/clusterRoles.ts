import type { ClusterRole, PolicyRule } from "@rollcall/api"
import { authenticatedGroup, privilegedGroup, serviceAccountsGroup, unauthenticatedGroup } from "../identity.ts"
import type { Binding } from "../rules.ts"
import {
  can,
  canGet,
  clusterBinding,
  clusterRole,
  group,
  read,
  readWrite,
  recordEvents,
  serviceAccount,
  user
} from "./notation.ts"

/* The cluster roles and bindings of upstream's plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go. */

const core = "core"
const csr = "certificates.k8s.io"
const delegation = [
  can("create", "authentication.k8s.io", "tokenreviews"),
  can("create", "authorization.k8s.io", "subjectaccessreviews")
]

/** The permissions of kubelets, independent of objects. The Node authorizer narrows them. */
export const nodeRules: ReadonlyArray<PolicyRule> = [
  can("create", "authentication.k8s.io", "tokenreviews"),
  can("create", "authorization.k8s.io", "subjectaccessreviews localsubjectaccessreviews"),
  can(read, core, "services"),
  can("create get list watch", core, "nodes"),
  can("update patch", core, "nodes/status"),
  can("update patch", core, "nodes"),
  recordEvents,
  can(read, core, "pods"),
  can("create delete", core, "pods"),
  can("update patch", core, "pods/status"),
  can("create", core, "pods/eviction"),
  can(read, core, "secrets configmaps"),
  can("get", core, "persistentvolumeclaims persistentvolumes"),
  can("get", core, "endpoints"),
  can("create get list watch", csr, "certificatesigningrequests"),
  can("get create update patch delete", "coordination.k8s.io", "leases"),
  can("get", "storage.k8s.io", "volumeattachments"),
  can("create", core, "serviceaccounts/token"),
  can("get update patch", core, "persistentvolumeclaims/status"),
  can(read, "storage.k8s.io", "csidrivers"),
  can("get create update patch delete", "storage.k8s.io", "csinodes"),
  can(read, "node.k8s.io", "runtimeclasses"),
  can("get", "resource.k8s.io", "resourceclaims"),
  can("deletecollection", "resource.k8s.io", "resourceslices"),
  can("get", core, "serviceaccounts")
]

const controllerManager: ReadonlyArray<PolicyRule> = [
  recordEvents,
  can("create", "coordination.k8s.io", "leases"),
  can("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
  can("create", core, "secrets serviceaccounts"),
  can("delete", core, "secrets"),
  can("get", core, "namespaces secrets serviceaccounts configmaps"),
  can("update", core, "secrets serviceaccounts"),
  ...delegation,
  // For informers of all kinds.
  can("list watch", "*", "*"),
  can("create", core, "serviceaccounts/token")
]

const scheduler: ReadonlyArray<PolicyRule> = [
  recordEvents,
  can("create", "coordination.k8s.io", "leases"),
  can("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
  can(readWrite, "coordination.k8s.io", "leasecandidates"),
  can(read, core, "nodes"),
  can("get list watch delete", core, "pods"),
  can("create", core, "pods/binding bindings"),
  can("patch update", core, "pods/status"),
  can(read, core, "services replicationcontrollers"),
  can(read, "apps extensions", "replicasets"),
  can(read, "apps", "statefulsets"),
  can(read, "policy", "poddisruptionbudgets"),
  can(read, core, "persistentvolumeclaims persistentvolumes"),
  ...delegation,
  can(read, "storage.k8s.io", "csinodes"),
  can(read, "storage.k8s.io", "volumeattachments"),
  can(read, core, "namespaces"),
  can(read, "storage.k8s.io", "csidrivers"),
  can(read, "storage.k8s.io", "csistoragecapacities"),
  can(read, "resource.k8s.io", "deviceclasses"),
  can("get list patch update watch", "resource.k8s.io", "resourceclaims"),
  can("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
  can("update", core, "pods/finalizers"),
  can(read, "resource.k8s.io", "resourceslices"),
  can("create delete", "resource.k8s.io", "resourceclaims"),
  can("update patch", "resource.k8s.io", "resourceclaims/binding")
]

const approver = (name: string, signer: string): ClusterRole =>
  clusterRole(`system:certificates.k8s.io:${name}-approver`, [
    can("approve", csr, "signers", `kubernetes.io/${signer}`)
  ])

const health = ["/livez", "/readyz", "/healthz"]
const version = ["/version", "/version/"]

export const clusterRoles: ReadonlyArray<ClusterRole> = [
  clusterRole("cluster-admin", [can("*", "*", "*"), { verbs: ["*"], nonResourceURLs: ["*"] }]),
  clusterRole("system:discovery", [
    canGet(...health, ...version, "/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*")
  ]),
  clusterRole("system:monitoring", [
    canGet("/metrics", "/metrics/slis", ...health, "/livez/*", "/readyz/*", "/healthz/*", "/flagz", "/statusz"),
    can("get", core, "nodes/metrics")
  ]),
  clusterRole("system:basic-user", [
    can("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    can("create", "authentication.k8s.io", "selfsubjectreviews")
  ]),
  clusterRole("system:public-info-viewer", [canGet(...health, ...version)]),
  clusterRole("system:heapster", [
    can(read, core, "events pods nodes namespaces"),
    can(read, "extensions", "deployments")
  ]),
  clusterRole("system:node", nodeRules),
  clusterRole("system:node-problem-detector", [
    can("get", core, "nodes"),
    can("patch", core, "nodes/status"),
    recordEvents
  ]),
  clusterRole("system:kubelet-api-admin", [
    can(read, core, "nodes"),
    can("proxy", core, "nodes"),
    can("*", core, "nodes/proxy nodes/metrics nodes/stats nodes/log"),
    can("*", core, "nodes/pods nodes/healthz nodes/configz")
  ]),
  clusterRole("system:node-bootstrapper", [can("create get list watch", csr, "certificatesigningrequests")]),
  clusterRole("system:auth-delegator", delegation),
  clusterRole("system:kube-aggregator", [can(read, core, "services endpoints")]),
  clusterRole("system:kube-controller-manager", controllerManager),
  clusterRole("system:kube-dns", [can("list watch", core, "endpoints services")]),
  clusterRole("system:persistent-volume-provisioner", [
    can("get list watch create delete", core, "persistentvolumes"),
    can("get list watch update", core, "persistentvolumeclaims"),
    can(read, "storage.k8s.io", "storageclasses"),
    can("watch", core, "events"),
    recordEvents
  ]),
  clusterRole("system:certificates.k8s.io:certificatesigningrequests:nodeclient", [
    can("create", csr, "certificatesigningrequests/nodeclient")
  ]),
  clusterRole("system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", [
    can("create", csr, "certificatesigningrequests/selfnodeclient")
  ]),
  clusterRole("system:volume-scheduler", [
    can("get list watch update patch", core, "persistentvolumes"),
    can(read, "storage.k8s.io", "storageclasses"),
    can("get list watch update patch", core, "persistentvolumeclaims")
  ]),
  approver("legacy-unknown", "legacy-unknown"),
  approver("kubelet-serving", "kubelet-serving"),
  approver("kube-apiserver-client", "kube-apiserver-client"),
  approver("kube-apiserver-client-kubelet", "kube-apiserver-client-kubelet"),
  clusterRole("system:service-account-issuer-discovery", [
    canGet(
      "/.well-known/openid-configuration",
      "/.well-known/openid-configuration/",
      "/openid/v1/jwks",
      "/openid/v1/jwks/"
    )
  ]),
  clusterRole("system:node-proxier", [
    can("list watch", core, "services endpoints"),
    can(read, core, "nodes"),
    recordEvents,
    can("list watch", "networking.k8s.io", "servicecidrs"),
    can("list watch", "discovery.k8s.io", "endpointslices")
  ]),
  clusterRole("system:kube-scheduler", scheduler)
]

const allUsers = [group(authenticatedGroup), group(unauthenticatedGroup)]

export const clusterRoleBindings: ReadonlyArray<Binding> = [
  clusterBinding("cluster-admin", group(privilegedGroup)),
  clusterBinding("system:monitoring", group("system:monitoring")),
  clusterBinding("system:discovery", group(authenticatedGroup)),
  clusterBinding("system:basic-user", group(authenticatedGroup)),
  clusterBinding("system:public-info-viewer", ...allUsers),
  clusterBinding("system:node-proxier", user("system:kube-proxy")),
  clusterBinding("system:kube-controller-manager", user("system:kube-controller-manager")),
  clusterBinding("system:kube-dns", serviceAccount("kube-system", "kube-dns")),
  clusterBinding("system:kube-scheduler", user("system:kube-scheduler")),
  clusterBinding("system:volume-scheduler", user("system:kube-scheduler")),
  // Without subjects: the Node authorizer authorizes kubelets.
  clusterBinding("system:node"),
  clusterBinding("system:service-account-issuer-discovery", group(serviceAccountsGroup))
]
