import type { ConfigMap, Namespace, ServiceAccount } from "@rollcall/api"
import { type ClusterError, Controller, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The names under which pods find the two objects of each namespace. */
const DEFAULT_ACCOUNT = "default"
const ROOT_CA = "kube-root-ca.crt"

/** Whether objects can be created in the namespace: a terminating one refuses them. */
const acceptsObjects = ({ metadata, status }: Namespace): boolean =>
  status?.phase !== "Terminating" && metadata.deletionTimestamp === undefined

const ignoreAlreadyExists = (created: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(created, isAlreadyExists, () => Effect.void)

/** The namespace of an object, to sync it, if the object has this name. */
const namespacesToSync = ({ metadata }: ServiceAccount | ConfigMap, name: string): ReadonlyArray<string> =>
  metadata.name === name ? [metadata.namespace ?? ""] : []

export interface ServiceAccountsConfig {
  /** PEM of the CA that signs the API server's certificate; without it no `kube-root-ca.crt` is created. */
  readonly rootCA?: string
  /** If false, namespaces get no default service account, as with `--controllers=-serviceaccount-controller`. */
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
      // The account is only created again when it is deleted; other changes of it are its users' own.
      ServiceAccount: {
        concerns: (account, { isDeleted }) => (isDeleted ? namespacesToSync(account, DEFAULT_ACCOUNT) : [])
      },
      // The ConfigMap is also restored when its data is changed.
      ConfigMap: {
        fieldSelector: `metadata.name=${ROOT_CA}`,
        concerns: (map, { before, isDeleted }) =>
          isDeleted || before !== undefined ? namespacesToSync(map, ROOT_CA) : []
      }
    },
    reconcile: ({ cache, cluster }) => {
      const ensureAccount = (namespace: string): Effect.Effect<unknown, ClusterError> => {
        if (!defaultAccount || cache("ServiceAccount").find(DEFAULT_ACCOUNT, namespace) !== undefined)
          return Effect.void
        const metadata = { name: DEFAULT_ACCOUNT, namespace }
        return ignoreAlreadyExists(
          cluster.create("ServiceAccount", { apiVersion: "v1", kind: "ServiceAccount", metadata })
        )
      }
      const ensureRootCA = (namespace: string): Effect.Effect<unknown, ClusterError> => {
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
        return ignoreAlreadyExists(cluster.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data }))
      }
      return (name) => {
        const namespace = cache("Namespace").get(name)
        return namespace === undefined || !acceptsObjects(namespace)
          ? Effect.void
          : Effect.andThen(ensureAccount(name), ensureRootCA(name))
      }
    }
  })
