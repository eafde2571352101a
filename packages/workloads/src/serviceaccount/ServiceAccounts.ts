import type { ConfigMap, Namespace, ServiceAccount } from "@rollcall/api"
import {
  Cluster,
  type ClusterError,
  forkController,
  Informer,
  isAlreadyExists,
  runWorkers,
  WorkQueue
} from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What every namespace is to have, by the names that pods look for. */
const DEFAULT_ACCOUNT = "default"
const ROOT_CA = "kube-root-ca.crt"

const isOpen = ({ metadata, status }: Namespace): boolean =>
  status?.phase !== "Terminating" && metadata.deletionTimestamp === undefined

const unlessThere = (created: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(created, isAlreadyExists, () => Effect.void)

export interface ServiceAccountsConfig {
  /** PEM of the CA that signs the API server's certificate; without it no `kube-root-ca.crt` is kept. */
  readonly rootCA?: string
  /** False: namespaces get no account, as with `--controllers=-serviceaccount-controller`. */
  readonly defaultAccount?: boolean
}

/**
 * Gives every namespace the account that its pods run as, and the CA by which they know the API server.
 * Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go, pkg/controller/certificates/rootcacertpublisher.
 */
export const layerServiceAccounts = ({
  defaultAccount = true,
  rootCA
}: ServiceAccountsConfig = {}): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* Timers
      const queue = yield* WorkQueue.named<string>("serviceaccount")
      const enqueue = (namespace: Namespace) => queue.add(namespace.metadata.name ?? "")
      const requeue = (name: string) => (object: ServiceAccount | ConfigMap) => {
        if (object.metadata.name === name) queue.add(object.metadata.namespace ?? "")
      }
      const namespaces = yield* Informer.make("Namespace", {
        handlers: [{ onAdd: enqueue, onUpdate: (_, namespace) => enqueue(namespace) }]
      })
      const accounts = yield* Informer.make("ServiceAccount", { handlers: [{ onDelete: requeue(DEFAULT_ACCOUNT) }] })
      const maps = yield* Informer.make("ConfigMap", {
        fieldSelector: `metadata.name=${ROOT_CA}`,
        handlers: [{ onUpdate: (_, map) => requeue(ROOT_CA)(map), onDelete: requeue(ROOT_CA) }]
      })
      const account = (namespace: string): Effect.Effect<unknown, ClusterError> => {
        if (!defaultAccount || accounts.find(DEFAULT_ACCOUNT, namespace) !== undefined) return Effect.void
        const metadata = { name: DEFAULT_ACCOUNT, namespace }
        return unlessThere(cluster.create("ServiceAccount", { apiVersion: "v1", kind: "ServiceAccount", metadata }))
      }
      const certificate = (namespace: string): Effect.Effect<unknown, ClusterError> => {
        if (rootCA === undefined) return Effect.void
        const found = maps.find(ROOT_CA, namespace)
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
      const sync = (name: string) => {
        const namespace = namespaces.get(name)
        return namespace === undefined || !isOpen(namespace)
          ? Effect.void
          : Effect.andThen(account(name), certificate(name))
      }
      yield* Effect.all([namespaces.synced, accounts.synced, maps.synced], {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.andThen(runWorkers(queue, 1, sync)), forkController("serviceaccount-controller"))
    })
  )
