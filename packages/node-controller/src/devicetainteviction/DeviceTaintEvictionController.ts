import { type Cluster, type ClusterError, Controller } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { DeviceTaintEvictor } from "./DeviceTaintEvictor.ts"
import { evictDevicePod } from "./evictDevicePod.ts"

const NAME = "device-taint-eviction-controller"

/** `--concurrent-device-taint-eviction-syncs` */
const CONCURRENT_SYNCS = 8

/**
 * Deletes the pods that use devices with NoExecute taints: at once, or after the seconds that their claims tolerate. The
 * taints are those of ResourceSlices. Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go.
 */
export const layerDeviceTaintEviction: Layer.Layer<never, never, Cluster | Timers> = Controller.make({
  name: NAME,
  records: NAME,
  for: "ResourceClaim",
  when: () => false,
  watches: { ResourceSlice: {}, Pod: {} },
  workers: CONCURRENT_SYNCS,
  reconcile: ({ cache, cluster, queue, recorder, timers }) => {
    const evictor = new DeviceTaintEvictor({ timers, queue, recorder, pods: cache("Pod") })
    cache("ResourceSlice").addHandler(evictor.sliceHandler)
    cache("ResourceClaim").addHandler(evictor.claimHandler)
    cache("Pod").addHandler(evictor.podHandler)
    return (key): Effect.Effect<void, ClusterError> =>
      Effect.suspend(() => {
        const doomed = evictor.pending(key)
        if (doomed === undefined) return Effect.void
        if (doomed.dueMs > timers.now()) {
          queue.addAfter(key, doomed.dueMs - timers.now())
          return Effect.void
        }
        const done = Effect.sync(() => evictor.finished(key, doomed))
        return Effect.andThen(evictDevicePod(cluster, recorder, timers, doomed), done)
      })
  }
})
