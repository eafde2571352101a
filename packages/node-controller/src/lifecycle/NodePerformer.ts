import type { Node, Pod, Taint } from "@rollcall/api"
import { type ClusterShape, type EventRecorder, keyOf } from "@rollcall/cluster"
import type { EvictionZones } from "@rollcall/eviction"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { logFailure } from "../failureLog.ts"
import type { NodePatches } from "../NodePatches.ts"
import { notReadyNoExecute, unreachableNoExecute } from "../Taints.ts"
import { afterStatusWrite, type HealthJudgement, judgeNodeHealth } from "./NodeHealth.ts"
import type { NodeLifecycleSettings } from "./NodeLifecycleSettings.ts"
import type { NodeFollowUp, NodeLook, NodeWork } from "./NodeLook.ts"
import type { NodeRecord } from "./NodeRecords.ts"
import { markPodsNotReady } from "./PodMarker.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

const RETRY_STEP_MS = 20
const NOT_READ = "Failed while getting a Node to retry updating node health. Probably Node was deleted"
const SKIPPED = "Update health of Node from Controller error, Skipping - no pods will be evicted"
const RETRY_LIMIT_MS = 100

export interface NodePerformerOptions {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly zones: EvictionZones
  readonly looks: NodeLook
  /** Told of each node that was written. */
  readonly wrote: (node: Node) => void
  readonly patches: NodePatches
  readonly podsOn: (node: string) => Array<Pod>
  readonly settings: NodeLifecycleSettings
}

const byName = (left: Pod, right: Pod): number => (keyOf(left) < keyOf(right) ? -1 : 1)

/** Does for one node what a look has left to be done through the API. */
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

  /** Takes the NoExecute pair off and the name out of the queue; after a failure it stays there, for the next pass to try again. */
  markReachable(node: Node): Effect.Effect<void> {
    const { patches, zones } = this.options
    const { labels, name = "" } = node.metadata
    const take = (taint: Taint, what: string) =>
      Effect.tapError(patches.remove(node, [taint]), ({ message }) =>
        logFailure(`Failed to remove ${what} taint from node`, message, { node: name })
      )
    return take(unreachableNoExecute, "unreachable").pipe(
      Effect.andThen(take(notReadyNoExecute, "not-ready")),
      Effect.andThen(Effect.sync(() => zones.of(zoneKeyOf(labels)).cancel(name))),
      Effect.catch(() =>
        logFailure("Failed to remove taints from node. Will retry in next iteration", undefined, { node: name })
      )
    )
  }

  /** An Event about the node, which bears its UID and no revision. */
  tell({ metadata: { name = "", uid = "" } }: Node, reason: string, text: string): void {
    const reference = { apiVersion: "v1", kind: "Node", name, uid }
    this.options.recorder.event(reference, "Normal", reason, `Node ${name} ${text}`)
  }

  /** Writes the status; after a failure reads the node and judges it anew. A node for which that fails is left out of the pass. */
  private readonly writeStatus = Effect.fnUntraced(
    { self: this },
    function* (this: NodePerformer, record: NodeRecord, node: Node, judgement: HealthJudgement) {
      const { cluster, looks, settings, timers, wrote } = this.options
      let current = node
      let verdict = judgement
      let firstFailureMs: number | undefined
      while (verdict.mustWrite) {
        const { lease } = record
        const written = yield* Effect.result(cluster.updateStatus("Node", { ...current, status: verdict.status }))
        if (Result.isSuccess(written)) {
          record.health = afterStatusWrite(verdict, lease, timers.now())
          wrote(written.success)
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
        verdict = judgeNodeHealth(current, record.lease, record.health, timers.now(), settings)
        record.health = verdict.health
      }
      return looks.proceed(record, current, verdict, timers.now())
    }
  )

  private readonly followUp = Effect.fnUntraced(
    { self: this },
    function* (this: NodePerformer, record: NodeRecord, { markPods, node, taints, transition }: NodeFollowUp) {
      const { cluster, patches, podsOn, recorder, timers } = this.options
      const pods = markPods ? podsOn(record.name).sort(byName) : []
      if (taints?.kind === "swap") yield* patches.swap(node, [taints.add], [taints.remove])
      else if (taints?.kind === "reachable") yield* this.markReachable(node)
      if (transition) this.tell(node, "NodeNotReady", "status is now: NodeNotReady")
      const marked = yield* Effect.result(markPodsNotReady(cluster, recorder, timers.now, pods))
      record.needsRetry = Result.isFailure(marked)
      if (Result.isFailure(marked)) {
        const message = "Unable to mark all pods NotReady on node; queuing for retry"
        yield* logFailure(message, marked.failure.message, { node: record.name })
      }
    }
  )
}
