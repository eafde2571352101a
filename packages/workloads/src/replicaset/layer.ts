import { currentGates, type ReplicaSet, type ReplicationController } from "@rollcall/api"
import { Controller, type InformerHandler } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OwnWrites } from "../consistency/awaitOwnWrites.ts"
import { consistencyStoreOf, forgetDeleted } from "../consistency/ConsistencyStore.ts"
import { recordingWrites } from "../consistency/recordingWrites.ts"
import { unlessStale } from "../consistency/unlessStale.ts"
import { unhandledError } from "../unhandledError.ts"
import { defaultReplicaSetConfig, type ReplicaSetConfig } from "./config.ts"
import { observeDeletion, replicaSetSkips } from "./metrics.ts"
import { ReplicaSets } from "./ReplicaSets.ts"
import { asReplicaSet } from "./SetKind.ts"

const syncFailed = (key: string, { message }: { readonly message: string }) =>
  unhandledError(`sync ${JSON.stringify(key)} failed with ${message}`)

/**
 * Runs the replicas of all ReplicaSets while the layer lives. Its requests and Events go through the Cluster in
 * context, whose client-side rate limit applies (kube-controller-manager's is 20 requests a second, burst 30).
 */
export const layerReplicaSets = (config: Partial<ReplicaSetConfig> = {}) => {
  const settings = { ...defaultReplicaSetConfig, ...config }
  return Layer.unwrap(
    Effect.gen(function* () {
      const gates = yield* currentGates
      const context = yield* Effect.context<never>()
      return Controller.plain({
        name: "replicaset-controller",
        queue: "replicaset",
        records: true,
        workers: settings.concurrentSyncs,
        onError: syncFailed,
        make: (parts) => {
          const isGuarded = gates.StaleControllerConsistencyReplicaSet
          const consistency = consistencyStoreOf(["ReplicaSet", "Pod"], parts.cache, isGuarded)
          const own = new OwnWrites({ ...parts, kinds: ["ReplicaSet"] })
          const { podHandler, replicaSetHandler, work } = new ReplicaSets({
            ...parts,
            connection: recordingWrites(own.connection, "ReplicaSet", consistency),
            config: settings,
            kind: "ReplicaSet",
            onDeletion: observeDeletion(context)
          })
          const forget = forgetDeleted(consistency)
          const handler: InformerHandler<ReplicaSet> = {
            onAdd: (set, isInInitialList) => {
              own.changed("ReplicaSet", set)
              replicaSetHandler.onAdd?.(set, isInInitialList)
            },
            onUpdate: (before, set) => {
              own.changed("ReplicaSet", set)
              replicaSetHandler.onUpdate?.(before, set)
            },
            onDelete: (set) => {
              own.deleted("ReplicaSet", set)
              forget.onDelete(set)
              replicaSetHandler.onDelete?.(set)
            }
          }
          const afterOthers = own.before(work)
          return {
            handlers: { ReplicaSet: handler, Pod: podHandler },
            work: unlessStale(consistency, replicaSetSkips(context), afterOthers)
          }
        }
      })
    })
  )
}

/**
 * Runs the replicas of all ReplicationControllers while the layer lives, as those of ReplicaSets, but without their
 * metric and error of stale caches. Upstream: pkg/controller/replication.
 */
export const layerReplicationControllers = Layer.unwrap(
  Effect.map(Effect.context<never>(), (context) =>
    Controller.plain({
      name: "replication-controller",
      queue: "replicationmanager",
      records: true,
      workers: defaultReplicaSetConfig.concurrentSyncs,
      onError: syncFailed,
      make: (parts) => {
        const own = new OwnWrites({ ...parts, kinds: ["ReplicationController"] })
        const { podHandler, replicaSetHandler, work } = new ReplicaSets({
          ...parts,
          connection: own.connection,
          config: defaultReplicaSetConfig,
          kind: "ReplicationController",
          onDeletion: observeDeletion(context)
        })
        const handler: InformerHandler<ReplicationController> = {
          onAdd: (controller, isInInitialList) => {
            own.changed("ReplicationController", controller)
            replicaSetHandler.onAdd?.(asReplicaSet(controller), isInInitialList)
          },
          onUpdate: (before, controller) => {
            own.changed("ReplicationController", controller)
            replicaSetHandler.onUpdate?.(asReplicaSet(before), asReplicaSet(controller))
          },
          onDelete: (controller) => {
            own.deleted("ReplicationController", controller)
            replicaSetHandler.onDelete?.(asReplicaSet(controller))
          }
        }
        return {
          handlers: { ReplicationController: handler, Pod: podHandler },
          work: own.before(work)
        }
      }
    })
  )
)
