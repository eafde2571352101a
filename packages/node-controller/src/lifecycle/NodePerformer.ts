import type { Node, Pod, Taint } from "@rollcall/api"
import { type ClusterShape, type EventRecorder, keyOf } from "@rollcall/cluster"
import type { EvictionZones } from "@rollcall/eviction/rules"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { logFailure } from "../failureLog.ts"
import type { NodePatches } from "../NodePatches.ts"
import { notReadyNoExecute, unreachableNoExecute } from "../Taints.ts"
import type { NodeCheck, NodeFollowUp, NodeWork } from "./NodeCheck.ts"
import { afterStatusWrite, type HealthJudgement, judgeNodeHealth } from "./NodeHealth.ts"
import type { NodeLifecycleSettings } from "./NodeLifecycleSettings.ts"
import type { NodeRecord } from "./NodeRecord.ts"
import type { NodeRecords } from "./NodeRecords.ts"
import { markPodsNotReady } from "./PodMarker.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

/** Upstream: retrySleepTime. */
const RETRY_STEP_MS = 20
/** Upstream: NodeHealthUpdateRetry times retrySleepTime. */
const RETRY_LIMIT_MS = 5 * RETRY_STEP_MS
const NOT_READ = "Failed while getting a Node to retry updating node health. Probably Node was deleted"
const SKIPPED = "Update health of Node from Controller error, Skipping - no pods will be evicted"

export interface NodePerformerOptions {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly zones: EvictionZones
  readonly checks: NodeCheck
  readonly records: NodeRecords
  /** Called with each node after its status was written. */
  readonly onWrite: (node: Node) => void
  readonly patches: NodePatches
  readonly podsOn: (node: string) => Array<Pod>
  readonly settings: NodeLifecycleSettings
}

const byName = (left: Pod, right: Pod): number => (keyOf(left) < keyOf(right) ? -1 : 1)

/** Makes the requests that checking a node has left to do. */
export class NodePerformer {
  private readonly options: NodePerformerOptions

  constructor(options: NodePerformerOptions) {
    this.options = options
  }

  readonly perform = Effect.fnUntraced(
    { self: this },
    function* (this: NodePerformer, record: NodeRecord, node: Node, work: NodeWork) {
      const rest = work.kind === "write" ? yield* this.writeStatus(record, node, work.judgement) : work
      if (rest !== undefined) yield* this.followUp(record, rest)
    }
  )

  /**
   * Removes the NoExecute pair, and the node from its zone's queue. After a failure it stays queued, and the next pass
   * retries.
   */
  markReachable(node: Node): Effect.Effect<void> {
    const { patches, zones } = this.options
    const { labels, name = "" } = node.metadata
    const removeTaint = (taint: Taint, what: string) =>
      Effect.tapError(patches.remove(node, [taint]), ({ message }) =>
        logFailure(`Failed to remove ${what} taint from node`, message, { node: name })
      )
    return removeTaint(unreachableNoExecute, "unreachable").pipe(
      Effect.andThen(removeTaint(notReadyNoExecute, "not-ready")),
      Effect.andThen(Effect.sync(() => zones.of(zoneKeyOf(labels)).cancel(name))),
      Effect.catch(() =>
        logFailure("Failed to remove taints from node. Will retry in next iteration", undefined, { node: name })
      )
    )
  }

  /** Records an Event about the node, with its UID and no resourceVersion. */
  recordEvent({ metadata: { name = "", uid = "" } }: Node, reason: string, text: string): void {
    const reference = { apiVersion: "v1", kind: "Node", name, uid }
    this.options.recorder.event(reference, "Normal", reason, `Node ${name} ${text}`)
  }

  /**
   * Writes the status; after a failure reads the node and updates its health again. A node for which that fails is
   * skipped in this pass.
   */
  private readonly writeStatus = Effect.fnUntraced(
    { self: this },
    function* (this: NodePerformer, record: NodeRecord, node: Node, judgement: HealthJudgement) {
      const { cluster, checks, records, settings, timers, onWrite } = this.options
      let current = node
      let verdict = judgement
      let firstFailureMs: number | undefined
      while (verdict.mustWrite) {
        const lease = records.newestLease(record)
        const written = yield* Effect.result(cluster.updateStatus("Node", { ...current, status: verdict.status }))
        if (Result.isSuccess(written)) {
          record.health = afterStatusWrite(verdict, lease, timers.now())
          onWrite(written.success)
          break
        }
        const about = { node: record.name }
        yield* logFailure("Error updating node", written.failure.message, about)
        const read = yield* Effect.result(cluster.get("Node", { name: record.name }))
        if (Result.isFailure(read)) {
          yield* logFailure(NOT_READ, undefined, about)
          yield* logFailure(SKIPPED, read.failure.message, about)
          return undefined
        }
        current = read.success
        firstFailureMs ??= timers.now()
        const step = Math.floor((timers.now() - firstFailureMs) / RETRY_STEP_MS) + 1
        if (step * RETRY_STEP_MS > RETRY_LIMIT_MS) {
          yield* logFailure(SKIPPED, "timed out waiting for the condition", about)
          return undefined
        }
        yield* Effect.sleep(firstFailureMs + step * RETRY_STEP_MS - timers.now())
        verdict = judgeNodeHealth(current, records.newestLease(record), record.health, timers.now(), settings)
        record.health = verdict.health
      }
      return checks.decideFollowUp(record, current, verdict, timers.now())
    }
  )

  private readonly followUp = Effect.fnUntraced(
    { self: this },
    function* (this: NodePerformer, record: NodeRecord, { markPods, node, taints, becameNotReady }: NodeFollowUp) {
      const { cluster, patches, podsOn, recorder, timers } = this.options
      const pods = markPods ? podsOn(record.name).sort(byName) : []
      if (taints?.kind === "swap") yield* patches.swap(node, [taints.add], [taints.remove])
      else if (taints?.kind === "reachable") yield* this.markReachable(node)
      if (becameNotReady) this.recordEvent(node, "NodeNotReady", "status is now: NodeNotReady")
      const marked = yield* Effect.result(markPodsNotReady(cluster, recorder, timers.now, pods))
      record.needsRetry = Result.isFailure(marked)
      if (Result.isFailure(marked)) {
        const message = "Unable to mark all pods NotReady on node; queuing for retry"
        yield* logFailure(message, marked.failure.message, { node: record.name })
      }
    }
  )
}
