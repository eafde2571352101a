import { getNodeCondition } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import { done, type Evict, EvictionLimiter, type EvictionObserver, type Outcome, retryAfter } from "@rollcall/eviction"
import { pollWith, recovering } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LifecycleParts } from "./LifecycleParts.ts"
import { taintsFor } from "./NoExecuteDecision.ts"
import { PodDeleter } from "./PodDeleter.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

type Parts = LifecycleParts["Service"]

const RETRY_MS = 50

/**
 * Gives the NoExecute taint that monitor passes asked for, by what the node's condition is now.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass.
 */
const tainting = ({ meters, patches, records }: Parts) =>
  Effect.fnUntraced(function* (name: string): Effect.fn.Return<Outcome> {
    const node = records.find(name)?.node
    if (node === undefined) return done
    const condition = getNodeCondition(node, "Ready")
    if (condition === undefined) return retryAfter(RETRY_MS)
    const pair = taintsFor(condition.status)
    if (pair === undefined) return done
    if (!(yield* patches.swap(node, [pair.matching], [pair.opposite]))) return retryAfter(0)
    meters.evicted(zoneKeyOf(node.metadata.labels), 1)
    return done
  })

/** A node whose turn ends with an error keeps its place in the queue, for the pause of a work queue. */
const keeping = ({ timers }: Parts, act: Evict<never>): Evict<never> => {
  const retries = new Retries<string>()
  return (name, ...turn) =>
    recovering(
      Effect.map(
        Effect.suspend(() => act(name, ...turn)),
        (outcome) => {
          retries.forget(name)
          return outcome
        }
      ),
      (error) => {
        timers.handleError("zone queue", error, { node: name })
        return Effect.succeed(retryAfter(retries.nextMs(name, timers.now())))
      }
    )
}

const watching = ({ meters, observer }: Parts): EvictionObserver => ({
  onZone: (zoneKey) => {
    meters.evicted(zoneKey, 0)
    observer.zoneCreated(zoneKey)
  },
  onHealth: (zoneKey, { notReady, size }) => meters.counted(zoneKey, size, notReady),
  onAllZonesDown: observer.allZonesDown,
  onZoneState: (zoneKey, from, to) => observer.zoneStateChanged({ zoneKey, from, to }),
  onRate: (zoneKey, nodesPerSecond) => observer.zoneRateChanged({ zoneKey, nodesPerSecond })
})

/** The zones of a cluster, whose nodes are tainted or emptied in their turn. */
export const nodeEvictions = (start: Effect.Effect<void>): Layer.Layer<EvictionLimiter, never, LifecycleParts> =>
  Layer.unwrap(
    Effect.map(LifecycleParts, (parts) => {
      const { settings } = parts
      const shared = { flags: settings, start, observer: watching(parts), poll: pollWith(parts.timers) }
      if (settings.podEviction === "taints") {
        return EvictionLimiter.layer({ ...shared, evict: keeping(parts, tainting(parts)) })
      }
      const deleter = new PodDeleter(parts)
      const evict = keeping(parts, (name, _, turn) => deleter.deletePods(name, turn))
      if (!settings.forcedDeletion) return EvictionLimiter.layer({ ...shared, evict })
      const terminate = keeping(parts, (name, _, turn) => deleter.endPods(name, turn))
      return EvictionLimiter.layer({ ...shared, evict, terminate })
    })
  )
