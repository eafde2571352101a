import type { ConfigMap, Namespace, ServiceAccount } from "@rollcall/api"
import { type ClusterError, Controller, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The objects of every namespace, under the names that pods use. */
const DEFAULT_ACCOUNT = "default"
const ROOT_CA = "kube-root-ca.crt"

const isOpen = ({ metadata, status }: Namespace): boolean =>
  status?.phase !== "Terminating" && metadata.deletionTimestamp === undefined

const unlessThere = (created: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(created, isAlreadyExists, () => Effect.void)

/** The namespace to sync for an object with this name. */
const namespaceOf = ({ metadata }: ServiceAccount | ConfigMap, name: string): ReadonlyArray<string> =>
  metadata.name === name ? [metadata.namespace ?? ""] : []

export interface ServiceAccountsConfig {
  /** PEM of the CA that signs the API server's certificate; without it no `kube-root-ca.crt` is created. */
  readonly rootCA?: string
  /** False: namespaces get no default service account, as with `--controllers=-serviceaccount-controller`. */
  readonly defaultAccount?: boolean
}

/**
 * Creates the default service account and the root CA ConfigMap in every namespace.
 * Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go,
 * pkg/controller/certificates/rootcacertpublisher.
 */
export const layerServiceAccounts = ({ defaultAccount = true, rootCA }: ServiceAccountsConfig = {}) =>
  Controller.make({
    name: "serviceaccount-controller",
    queue: "serviceaccount",
    for: "Namespace",
    when: (_, { isDeleted }) => !isDeleted,
    watches: {
      ServiceAccount: {
        concerns: (account, { isDeleted }) => (isDeleted ? namespaceOf(account, DEFAULT_ACCOUNT) : [])
      },
      ConfigMap: {
        fieldSelector: `metadata.name=${ROOT_CA}`,
        concerns: (map, { before, isDeleted }) => (isDeleted || before !== undefined ? namespaceOf(map, ROOT_CA) : [])
      }
    },
    reconcile: ({ cache, cluster }) => {
      const account = (namespace: string): Effect.Effect<unknown, ClusterError> => {
        if (!defaultAccount || cache("ServiceAccount").find(DEFAULT_ACCOUNT, namespace) !== undefined)
          return Effect.void
        const metadata = { name: DEFAULT_ACCOUNT, namespace }
        return unlessThere(cluster.create("ServiceAccount", { apiVersion: "v1", kind: "ServiceAccount", metadata }))
      }
      const certificate = (namespace: string): Effect.Effect<unknown, ClusterError> => {
        if (rootCA === undefined) return Effect.void
        const found = cache("ConfigMap").find(ROOT_CA, namespace)
        const data = { "ca.crt": rootCA }
        if (found?.data?.["ca.crt"] === rootCA && Object.keys(found.data).length === 1) return Effect.void
        if (found !== undefined) return cluster.update("ConfigMap", { ...found, data })
        const annotations = {
          "kubernetes.io/description":
            "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
        }
        const metadata = { name: ROOT_CA, namespace, annotations }
        return unlessThere(cluster.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data }))
      }
      return (name) => {
        const namespace = cache("Namespace").get(name)
        return namespace === undefined || !isOpen(namespace)
          ? Effect.void
          : Effect.andThen(account(name), certificate(name))
      }
    }
  })
