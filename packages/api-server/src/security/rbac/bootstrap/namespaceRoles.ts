import type { Role } from "@rollcall/api"
import type { Binding } from "../rules.ts"
import { binding, can, read, recordEvents, role, serviceAccount, user } from "./notation.ts"

const system = "kube-system"
const published = "kube-public"
const authenticationReader = "extension-apiserver-authentication-reader"
const controllerManager = "system:kube-controller-manager"
const scheduler = "system:kube-scheduler"
const locking = (component: string) => `system::leader-locking-${component}`
const bootstrapSigner = "system:controller:bootstrap-signer"
const cloudProvider = "system:controller:cloud-provider"
const tokenCleaner = "system:controller:token-cleaner"

const lock = (component: string) => [
  can("watch", "core", "configmaps"),
  can("get update", "core", "configmaps", component)
]

/** Upstream: bootstrappolicy/namespace_policy.go. */
export const namespaceRoles: ReadonlyArray<Role> = [
  role(system, authenticationReader, [can(read, "core", "configmaps", "extension-apiserver-authentication")]),
  role(system, bootstrapSigner, [can(read, "core", "secrets")]),
  role(system, cloudProvider, [can("create get list watch", "core", "configmaps")]),
  role(system, tokenCleaner, [can("get list watch delete", "core", "secrets"), recordEvents]),
  role(system, locking("kube-controller-manager"), lock("kube-controller-manager")),
  role(system, locking("kube-scheduler"), lock("kube-scheduler")),
  role(published, bootstrapSigner, [
    can(read, "core", "configmaps"),
    can("update", "core", "configmaps", "cluster-info"),
    recordEvents
  ])
]

export const namespaceRoleBindings: ReadonlyArray<Binding> = [
  binding(system, `system::${authenticationReader}`, authenticationReader, user(controllerManager), user(scheduler)),
  binding(
    system,
    locking("kube-controller-manager"),
    locking("kube-controller-manager"),
    user(controllerManager),
    serviceAccount(system, "kube-controller-manager")
  ),
  binding(
    system,
    locking("kube-scheduler"),
    locking("kube-scheduler"),
    user(scheduler),
    serviceAccount(system, "kube-scheduler")
  ),
  binding(system, bootstrapSigner, bootstrapSigner, serviceAccount(system, "bootstrap-signer")),
  binding(system, cloudProvider, cloudProvider, serviceAccount(system, "cloud-provider")),
  binding(system, tokenCleaner, tokenCleaner, serviceAccount(system, "token-cleaner")),
  binding(published, bootstrapSigner, bootstrapSigner, serviceAccount(system, "bootstrap-signer"))
]
