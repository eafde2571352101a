import type { HealthCheck } from "./HealthCheck.ts"

/**
 * What kube-apiserver starts after it listens, by the names of its post-start hooks, in the order in which it lists
 * them. Here each is done before the server listens, or (what concerns peers and aggregated servers) has nothing to do.
 */
const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-wait-for-first-sync",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
  "apiservice-openapi-controller",
  "apiservice-openapiv3-controller"
]

/** The check of another hook comes right after this one. */
const AUTOREGISTRATION = "kube-apiserver-autoregistration"

const isDone = () => true

/** The checks of kube-apiserver; a program that embeds the server replaces those of its storage and its shutdown. */
export const defaultChecks: ReadonlyArray<HealthCheck> = [
  { name: "ping", check: isDone },
  { name: "log", check: isDone },
  { name: "loopback-serving-certificate", endpoints: ["healthz", "livez"], check: isDone },
  { name: "etcd", check: isDone },
  { name: "etcd-readiness", endpoints: ["readyz"], check: isDone },
  { name: "informer-sync", endpoints: ["readyz"], check: isDone },
  ...hooks.flatMap((hook) => {
    const check = { name: `poststarthook/${hook}`, check: isDone }
    return hook === AUTOREGISTRATION ? [check, { name: "autoregister-completion", check: isDone }] : [check]
  }),
  { name: "shutdown", endpoints: ["readyz"], check: isDone }
]

/** Returns the default checks, with given ones in place of those of the same name, and the other given ones. */
export const checksOf = (given: ReadonlyArray<HealthCheck>): ReadonlyArray<HealthCheck> => [
  ...defaultChecks.map((check) => given.find(({ name }) => name === check.name) ?? check),
  ...given.filter(({ name }) => !defaultChecks.some((check) => check.name === name))
]
