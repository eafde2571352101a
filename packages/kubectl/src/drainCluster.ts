import { type KindName, type ListOf, type ObjectOf, resourceOf, type Status } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import type { DrainNodeCluster } from "@rollcall/drain"
import * as Effect from "effect/Effect"
import type { Host } from "./Host.ts"
import { type Mapping, objectPath } from "./Mapping.ts"
import { call, patchObject, sendObject } from "./request.ts"
import { listObjects } from "./targets.ts"

export const mappingOfKind = (kind: KindName): Mapping => ({ ...resourceOf(kind), categories: [] })

const pathOf = (
  kind: KindName,
  key: { readonly namespace?: string | undefined; readonly name: string },
  subresource = ""
) => objectPath(mappingOfKind(kind), key.namespace ?? "", key.name, subresource)

export interface DrainClusterOptions {
  /** The page size of lists; "0" means no paging. */
  readonly pageSize?: string | undefined
  /** The apiVersion of the Evictions to send. */
  readonly evictionVersion?: string
}

/** Implements the part of the Cluster port that a drain needs with plain requests. */
export const drainCluster = (
  host: Host,
  { evictionVersion = "policy/v1", pageSize }: DrainClusterOptions = {}
): DrainNodeCluster => ({
  get: <K extends KindName>(kind: K, key: { readonly namespace?: string | undefined; readonly name: string }) =>
    Effect.map(call(host, { method: "GET", path: pathOf(kind, key) }), (body) => body as ObjectOf<K>),
  list: <K extends KindName>(
    kind: K,
    options: { readonly labelSelector?: string; readonly fieldSelector?: string } = {}
  ) => {
    const { fieldSelector, labelSelector } = options
    const query = { ...(fieldSelector ? { fieldSelector } : {}), ...(labelSelector ? { labelSelector } : {}) }
    return Effect.map(listObjects(host, mappingOfKind(kind), undefined, query, pageSize), (items) => {
      const list: unknown = { apiVersion: "v1", kind: `${kind}List`, metadata: {}, items }
      return list as ListOf<K>
    })
  },
  patch: <K extends KindName>(
    kind: K,
    key: { readonly namespace?: string | undefined; readonly name: string },
    patchType: "json" | "merge" | "strategic" | "apply",
    body: unknown,
    options: { readonly dryRun?: boolean } = {}
  ) =>
    Effect.map(
      patchObject(host, pathOf(kind, key), patchType, body, {
        dryRun: options.dryRun ?? false,
        fieldManager: "kubectl-cordon"
      }),
      (object) => object as ObjectOf<K>
    ),
  delete: <K extends KindName>(
    kind: K,
    key: { readonly namespace?: string | undefined; readonly name: string },
    options?: object
  ) =>
    Effect.map(
      sendObject(host, "DELETE", pathOf(kind, key), deleteOptions(options)),
      (body) => body as ObjectOf<K> | Status
    ),
  evict: (key, options): Effect.Effect<void, ClusterError> =>
    Effect.asVoid(
      sendObject(host, "POST", pathOf("Pod", key, "eviction"), {
        apiVersion: evictionVersion,
        kind: "Eviction",
        metadata: { name: key.name, namespace: key.namespace },
        ...(options === undefined ? {} : { deleteOptions: options })
      })
    )
})

const deleteOptions = (options: object | undefined): object => ({ apiVersion: "v1", kind: "DeleteOptions", ...options })
