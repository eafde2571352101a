import { getNodeCondition } from "@rollcall/api"
import { done, type Outcome, retryAfter } from "@rollcall/eviction"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { ZoneMeters } from "./metrics.ts"
import type { NodePatches } from "./NodePatches.ts"
import type { NodeRecords } from "./NodeRecords.ts"
import { taintsFor } from "./NoExecuteDecision.ts"
import { makeQueueLoop, type QueueLoop } from "./QueueLoop.ts"
import { zoneKeyOf } from "./ZoneKey.ts"
import type { Zones } from "./Zones.ts"

const RETRY_MS = 50

export interface NoExecutePassOptions {
  readonly timers: TimersShape
  readonly records: NodeRecords
  readonly zones: Zones
  readonly patches: NodePatches
  readonly meters: ZoneMeters
}

/**
 * Gives the NoExecute taints that monitor passes asked for.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass.
 */
export const makeNoExecutePass = ({ meters, patches, records, timers, zones }: NoExecutePassOptions): QueueLoop => {
  /** Taints the node by what its condition is now. */
  const taint = Effect.fnUntraced(function* (name: string): Effect.fn.Return<Outcome> {
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

  return makeQueueLoop({ timers, zones, queueOf: ({ queue }) => queue, act: ({ value }) => taint(value) })
}
