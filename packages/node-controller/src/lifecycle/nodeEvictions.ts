import { getNodeCondition } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import { type Evict, EvictionLimiter, type EvictionObserver } from "@rollcall/eviction"
import { done, type Outcome, retryAfter } from "@rollcall/eviction/rules"
import { pollWith, recovering } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LifecycleParts } from "./LifecycleParts.ts"
import { taintsFor } from "./NoExecuteDecision.ts"
import { PodDeleter } from "./PodDeleter.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

type Parts = LifecycleParts["Service"]

/** The pause before a node without a Ready condition is tried again. */
const RETRY_MS = 50

/**
 * Taints a node that a monitor pass queued, with the NoExecute taint for its current Ready condition.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass.
 */
const addNoExecuteTaint = ({ meters, patches, records }: Parts) =>
  Effect.fnUntraced(function* (name: string): Effect.fn.Return<Outcome> {
    const node = records.find(name)?.node
    if (node === undefined) return done
    const condition = getNodeCondition(node, "Ready")
    if (condition === undefined) return retryAfter(RETRY_MS)
    const pair = taintsFor(condition.status)
    if (pair === undefined) return done
    if (!(yield* patches.swap(node, [pair.matching], [pair.opposite]))) return retryAfter(0)
    meters.addEvictions(zoneKeyOf(node.metadata.labels), 1)
    return done
  })

/** Keeps a node whose handling throws in the queue, and retries it after the backoff of a work queue. */
const retryOnThrow = ({ timers }: Parts, act: Evict<never>): Evict<never> => {
  const retries = new Retries<string>()
  return (name, ...queued) =>
    recovering(
      Effect.map(
        Effect.suspend(() => act(name, ...queued)),
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

const evictionObserver = ({ meters, observer }: Parts): EvictionObserver => ({
  onZone: (zoneKey) => {
    meters.addEvictions(zoneKey, 0)
    observer.zoneCreated(zoneKey)
  },
  onHealth: (zoneKey, { notReady, size }) => meters.setCounts(zoneKey, size, notReady),
  onAllZonesDown: observer.allZonesDown,
  onZoneState: (zoneKey, from, to) => observer.zoneStateChanged({ zoneKey, from, to }),
  onRate: (zoneKey, nodesPerSecond) => observer.zoneRateChanged({ zoneKey, nodesPerSecond })
})

/**
 * The zones of a cluster, with their queues of nodes to taint or, in early releases, of nodes whose pods to delete.
 * The queues are processed once `start` completes.
 */
export const nodeEvictions = (start: Effect.Effect<void>): Layer.Layer<EvictionLimiter, never, LifecycleParts> =>
  Layer.unwrap(
    Effect.map(LifecycleParts, (parts) => {
      const { settings } = parts
      const shared = { flags: settings, start, observer: evictionObserver(parts), poll: pollWith(parts.timers) }
      if (settings.podEviction === "taints") {
        return EvictionLimiter.layer({ ...shared, evict: retryOnThrow(parts, addNoExecuteTaint(parts)) })
      }
      const deleter = new PodDeleter(parts)
      const evict = retryOnThrow(parts, (name, _, queued) => deleter.deletePods(name, queued))
      if (!settings.forcedDeletion) return EvictionLimiter.layer({ ...shared, evict })
      const terminate = retryOnThrow(parts, (name, _, queued) => deleter.forceDeletePods(name, queued))
      return EvictionLimiter.layer({ ...shared, evict, terminate })
    })
  )
