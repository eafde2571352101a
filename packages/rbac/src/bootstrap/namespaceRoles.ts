import type { Role } from "@rollcall/api"
import type { Binding } from "../rules.ts"
import { binding, can, read, recordEvents, role, serviceAccount, user } from "./notation.ts"

const kubeSystem = "kube-system"
const kubePublic = "kube-public"
const authenticationReader = "extension-apiserver-authentication-reader"
const controllerManager = "system:kube-controller-manager"
const scheduler = "system:kube-scheduler"
/** Returns the name of the role for a component's leader election, with the two colons that upstream has. */
const locking = (component: string) => `system::leader-locking-${component}`
const bootstrapSigner = "system:controller:bootstrap-signer"
const cloudProvider = "system:controller:cloud-provider"
const tokenCleaner = "system:controller:token-cleaner"

const lockRules = ["leases", "leasecandidates"].map((locks) =>
  can("create get list update watch", "coordination.k8s.io", locks)
)

/** Upstream: bootstrappolicy/namespace_policy.go. */
export const namespaceRoles: ReadonlyArray<Role> = [
  role(kubeSystem, authenticationReader, [can(read, "core", "configmaps", "extension-apiserver-authentication")]),
  role(kubeSystem, bootstrapSigner, [can(read, "core", "secrets")]),
  role(kubeSystem, cloudProvider, [can("create get list watch", "core", "configmaps")]),
  role(kubeSystem, tokenCleaner, [can("get list watch delete", "core", "secrets"), recordEvents]),
  role(kubeSystem, locking("kube-controller-manager"), lockRules),
  role(kubeSystem, locking("kube-scheduler"), lockRules),
  role(kubePublic, bootstrapSigner, [
    can(read, "core", "configmaps"),
    can("update", "core", "configmaps", "cluster-info"),
    recordEvents
  ])
]

export const namespaceRoleBindings: ReadonlyArray<Binding> = [
  binding(
    kubeSystem,
    `system::${authenticationReader}`,
    authenticationReader,
    user(controllerManager),
    user(scheduler)
  ),
  binding(
    kubeSystem,
    locking("kube-controller-manager"),
    locking("kube-controller-manager"),
    user(controllerManager),
    serviceAccount(kubeSystem, "kube-controller-manager"),
    serviceAccount(kubeSystem, "leader-election-controller")
  ),
  binding(
    kubeSystem,
    locking("kube-scheduler"),
    locking("kube-scheduler"),
    user(scheduler),
    serviceAccount(kubeSystem, "kube-scheduler")
  ),
  binding(kubeSystem, bootstrapSigner, bootstrapSigner, serviceAccount(kubeSystem, "bootstrap-signer")),
  binding(kubeSystem, cloudProvider, cloudProvider, serviceAccount(kubeSystem, "cloud-provider")),
  binding(kubeSystem, tokenCleaner, tokenCleaner, serviceAccount(kubeSystem, "token-cleaner")),
  binding(kubePublic, bootstrapSigner, bootstrapSigner, serviceAccount(kubeSystem, "bootstrap-signer"))
]
