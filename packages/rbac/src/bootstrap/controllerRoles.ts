import type { ClusterRole, PolicyRule } from "@rollcall/api"
import type { Binding } from "../rules.ts"
import { can, clusterBinding, clusterRole, read, recordEvents, serviceAccount } from "./notation.ts"

const core = "core"
const apps = "apps extensions"
const csr = "certificates.k8s.io"
const signers = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving", "legacy-unknown"]
  .map((name) => `kubernetes.io/${name}`)
  .join(" ")
const managePods = can("list watch create delete patch", core, "pods")
const manageRevisions = can("get list watch create delete update patch", "apps", "controllerrevisions")
const manageSlices = can("get list watch create update delete", "discovery.k8s.io", "endpointslices")

/** The permissions of each controller, by its name. Upstream: bootstrappolicy/controller_policy.go. */
const rules: Readonly<Record<string, ReadonlyArray<PolicyRule>>> = {
  "attachdetach-controller": [
    can("list watch", core, "persistentvolumes persistentvolumeclaims"),
    can(read, core, "nodes"),
    can("patch update", core, "nodes/status"),
    can("list watch", core, "pods"),
    recordEvents,
    can("get create delete list watch", "storage.k8s.io", "volumeattachments"),
    can(read, "storage.k8s.io", "csidrivers"),
    can(read, "storage.k8s.io", "csinodes")
  ],
  "clusterrole-aggregation-controller": [
    can("escalate get list watch update patch", "rbac.authorization.k8s.io", "clusterroles")
  ],
  "cronjob-controller": [
    can("get list watch update", "batch", "cronjobs"),
    can("get list watch create update delete patch", "batch", "jobs"),
    can("update", "batch", "cronjobs/status"),
    can("update", "batch", "cronjobs/finalizers"),
    can("list watch delete", core, "pods"),
    recordEvents
  ],
  "daemon-set-controller": [
    can(read, apps, "daemonsets"),
    can("update", apps, "daemonsets/status"),
    can("update", apps, "daemonsets/finalizers"),
    can("list watch", core, "nodes"),
    managePods,
    can("create", core, "pods/binding"),
    manageRevisions,
    recordEvents
  ],
  "deployment-controller": [
    can("get list watch update", apps, "deployments"),
    can("update", apps, "deployments/status"),
    can("update", apps, "deployments/finalizers"),
    can("get list watch create update patch delete", apps, "replicasets"),
    can("get list watch update", core, "pods"),
    recordEvents
  ],
  "disruption-controller": [
    can(read, apps, "deployments"),
    can(read, apps, "replicasets"),
    can(read, core, "replicationcontrollers"),
    can(read, "policy", "poddisruptionbudgets"),
    can(read, "apps", "statefulsets"),
    can("update", "policy", "poddisruptionbudgets/status"),
    can("patch update", core, "pods/status"),
    can("get", "*", "*/scale"),
    recordEvents
  ],
  "endpoint-controller": [
    can(read, core, "services pods"),
    can("get list watch create update delete", core, "endpoints"),
    can("create", core, "endpoints/restricted"),
    recordEvents
  ],
  "endpointslice-controller": [
    can(read, core, "services pods nodes"),
    can("update", core, "services/finalizers"),
    manageSlices,
    recordEvents
  ],
  "endpointslicemirroring-controller": [
    can(read, core, "services endpoints"),
    can("update", core, "services/finalizers"),
    can("update", core, "endpoints/finalizers"),
    manageSlices,
    recordEvents
  ],
  "expand-controller": [
    can("get list watch update patch", core, "persistentvolumes"),
    can("update patch", core, "persistentvolumeclaims/status"),
    can(read, core, "persistentvolumeclaims"),
    recordEvents
  ],
  "ephemeral-volume-controller": [
    can(read, core, "pods"),
    can("update", core, "pods/finalizers"),
    can("get list watch create", core, "persistentvolumeclaims"),
    recordEvents
  ],
  "resource-claim-controller": [
    can(read, core, "pods"),
    can("update", core, "pods/finalizers"),
    can("get list watch create delete", "resource.k8s.io", "resourceclaims"),
    can("update patch", "resource.k8s.io", "resourceclaims resourceclaims/status"),
    can("update patch", core, "pods/status"),
    recordEvents,
    can("update patch", "resource.k8s.io", "resourceclaims/binding")
  ],
  "device-taint-eviction-controller": [
    can("get list watch delete", core, "pods"),
    can("update patch", core, "pods/status"),
    can(read, "resource.k8s.io", "resourceclaims"),
    can(read, "resource.k8s.io", "resourceslices"),
    can(read, "resource.k8s.io", "deviceclasses"),
    recordEvents
  ],
  "generic-garbage-collector": [can("get list watch patch update delete", "*", "*"), recordEvents],
  "horizontal-pod-autoscaler": [
    can(read, "autoscaling", "horizontalpodautoscalers"),
    can("update", "autoscaling", "horizontalpodautoscalers/status"),
    can("get update", "*", "*/scale"),
    can("list watch", core, "pods"),
    can("list watch", "metrics.k8s.io", "pods"),
    can(read, "custom.metrics.k8s.io", "*"),
    can(read, "external.metrics.k8s.io", "*"),
    recordEvents
  ],
  "job-controller": [
    can("get list watch update patch", "batch", "jobs"),
    can("update", "batch", "jobs/status"),
    can("update", "batch", "jobs/finalizers"),
    managePods,
    recordEvents
  ],
  "namespace-controller": [
    can("get list watch delete", core, "namespaces"),
    can("update", core, "namespaces/finalize namespaces/status"),
    can("get list watch delete deletecollection", "*", "*")
  ],
  "node-controller": [
    can("get list watch update delete patch", core, "nodes"),
    can("patch update", core, "nodes/status"),
    can("patch update", core, "pods/status"),
    can("list watch get delete", core, "pods"),
    recordEvents
  ],
  "persistent-volume-binder": [
    can("get list watch update create delete", core, "persistentvolumes"),
    can("update", core, "persistentvolumes/status"),
    can("get list watch update", core, "persistentvolumeclaims"),
    can("update", core, "persistentvolumeclaims/status"),
    can("list watch get create delete", core, "pods"),
    can(read, "storage.k8s.io", "storageclasses"),
    can("list watch", core, "nodes"),
    recordEvents,
    can("watch", core, "events")
  ],
  "pod-garbage-collector": [
    can("list watch delete", core, "pods"),
    can(read, core, "nodes"),
    can("patch", core, "pods/status")
  ],
  "replicaset-controller": [
    can("get list watch update", apps, "replicasets"),
    can("update", apps, "replicasets/status"),
    can("update", apps, "replicasets/finalizers"),
    managePods,
    recordEvents
  ],
  "replication-controller": [
    can("get list watch update", core, "replicationcontrollers"),
    can("update", core, "replicationcontrollers/status"),
    can("update", core, "replicationcontrollers/finalizers"),
    managePods,
    recordEvents
  ],
  "resourcequota-controller": [can("list watch", "*", "*"), can("update", core, "resourcequotas/status"), recordEvents],
  "route-controller": [can("list watch", core, "nodes"), can("patch", core, "nodes/status"), recordEvents],
  "service-account-controller": [can("create", core, "serviceaccounts"), recordEvents],
  "service-controller": [
    can(read, core, "services"),
    can("patch update", core, "services/status"),
    can("list watch", core, "nodes"),
    recordEvents
  ],
  "service-cidrs-controller": [
    can("get list watch patch update", "networking.k8s.io", "servicecidrs"),
    can("patch update", "networking.k8s.io", "servicecidrs/finalizers"),
    can("patch update", "networking.k8s.io", "servicecidrs/status"),
    can(read, "networking.k8s.io", "ipaddresses"),
    recordEvents
  ],
  "statefulset-controller": [
    can("list watch", core, "pods"),
    can(read, "apps", "statefulsets"),
    can("update", "apps", "statefulsets/status"),
    can("update", "apps", "statefulsets/finalizers"),
    can("get create delete update patch", core, "pods"),
    manageRevisions,
    can("get create list watch", core, "persistentvolumeclaims"),
    can("update delete", core, "persistentvolumeclaims"),
    can("update", core, "pods/finalizers"),
    recordEvents
  ],
  "ttl-controller": [can("update patch list watch", core, "nodes"), recordEvents],
  "certificate-controller": [
    can("get list watch delete", csr, "certificatesigningrequests"),
    can("update", csr, "certificatesigningrequests/status certificatesigningrequests/approval"),
    can("approve", csr, "signers", "kubernetes.io/kube-apiserver-client-kubelet"),
    can("sign", csr, "signers", signers),
    can("create", "authorization.k8s.io", "subjectaccessreviews"),
    recordEvents
  ],
  "pvc-protection-controller": [
    can("get list watch update", core, "persistentvolumeclaims"),
    can("update", core, "persistentvolumeclaims/status"),
    can(read, core, "pods"),
    recordEvents
  ],
  "pv-protection-controller": [can("get list watch update", core, "persistentvolumes"), recordEvents],
  "volumeattributesclass-protection-controller": [
    can(read, core, "persistentvolumeclaims"),
    can(read, core, "persistentvolumes"),
    can("get list watch update", "storage.k8s.io", "volumeattributesclasses"),
    recordEvents
  ],
  "ttl-after-finished-controller": [can("get list watch delete", "batch", "jobs"), recordEvents],
  "root-ca-cert-publisher": [can("create update", core, "configmaps"), recordEvents],
  "validatingadmissionpolicy-status-controller": [
    can(read, "admissionregistration.k8s.io", "validatingadmissionpolicies"),
    can("get patch update", "admissionregistration.k8s.io", "validatingadmissionpolicies/status"),
    recordEvents
  ],
  "selinux-warning-controller": [
    recordEvents,
    can(read, core, "persistentvolumes"),
    can(read, core, "persistentvolumeclaims"),
    can(read, core, "pods"),
    can(read, "storage.k8s.io", "csidrivers")
  ],
  "legacy-service-account-token-cleaner": [
    can("get", core, "configmaps", "kube-apiserver-legacy-service-account-token-tracking"),
    can("patch delete", core, "secrets")
  ]
}

const roleName = (controller: string): string => `system:controller:${controller}`

/** The role of each controller, `system:controller:<name>`. */
export const controllerRoles: ReadonlyArray<ClusterRole> = Object.entries(rules).map(([controller, given]) =>
  clusterRole(roleName(controller), given)
)

/** Each controller uses a service account of the same name. */
export const controllerRoleBindings: ReadonlyArray<Binding> = Object.keys(rules).map((controller) =>
  clusterBinding(roleName(controller), serviceAccount("kube-system", controller))
)
