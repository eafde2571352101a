import type { ConfigMap, KindName, ObjectMeta, OwnerReference } from "@rollcall/api"
import { apiVersionOf } from "@rollcall/api"
import { ApiServer, type ApiServerOptions } from "@rollcall/api-server"
import { customResources } from "@rollcall/api-server/custom"
import { Cluster, fromConnection } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type Timers } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { GarbageCollector } from "../../src/garbage/GarbageCollector.ts"

const cluster = (server: ApiServerOptions) =>
  Layer.effect(
    Cluster,
    Effect.map(ApiServer, ({ connect }) =>
      fromConnection(connect({ user: "admin", groups: ["system:masters"], userAgent: "test" }))
    )
  ).pipe(Layer.provide(ApiServer.layer({ customResources, ...server })), Layer.provide(layerMemory()))

/** Runs a program in virtual time with an empty API server and the garbage collector. */
export const runWithCollector = <A, E>(
  program: Effect.Effect<A, E, Cluster | GarbageCollector | Timers>,
  server: ApiServerOptions = {}
): A => {
  const layer = GarbageCollector.layer().pipe(Layer.provideMerge(cluster(server)))
  const ready = Effect.andThen(
    Effect.flatMap(GarbageCollector, ({ synced }) => synced),
    program
  )
  const exit = makeVirtualTime(1_767_225_600_000).run(Effect.scoped(Effect.provide(ready, layer)))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** Waits 5 s of virtual time: longer than the collector needs for all tests' objects. */
export const waitForCollector = Effect.sleep("5 seconds")

export const configMap = (name: string, metadata: ObjectMeta = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...metadata }
})

export const ownerReferenceTo = (
  kind: KindName,
  name: string,
  uid: string | undefined,
  more: Partial<OwnerReference> = {}
): OwnerReference => ({
  apiVersion: apiVersionOf(kind),
  kind,
  name,
  uid: uid ?? "",
  ...more
})

/** Creates a ConfigMap with these owners, and returns it. */
export const createConfigMap = Effect.fnUntraced(function* (
  name: string,
  owners: ReadonlyArray<ConfigMap> = [],
  more: Partial<OwnerReference> = {}
) {
  const api = yield* Cluster
  const ownerReferences = owners.map(({ metadata }) =>
    ownerReferenceTo("ConfigMap", metadata.name ?? "", metadata.uid, more)
  )
  return yield* api.create("ConfigMap", configMap(name, ownerReferences.length === 0 ? {} : { ownerReferences }))
})

export const configMapNames = Effect.flatMap(Cluster, (api) =>
  Effect.map(api.list("ConfigMap"), ({ items }) => items.map(({ metadata }) => metadata.name ?? "").sort())
)

export const getConfigMap = (name: string) =>
  Effect.flatMap(Cluster, (api) => api.get("ConfigMap", { name, namespace: "default" }))

export const deleteConfigMap = (
  name: string,
  propagationPolicy: "Foreground" | "Background" | "Orphan" = "Background"
) => Effect.flatMap(Cluster, (api) => api.delete("ConfigMap", { name, namespace: "default" }, { propagationPolicy }))
