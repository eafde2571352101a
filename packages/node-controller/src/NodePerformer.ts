import type { Node, Pod } from "@rollcall/api"
import { type ClusterShape, type EventRecorder, keyOf } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterStatusWrite, type HealthJudgement, judgeNodeHealth } from "./NodeHealth.ts"
import type { NodeFollowUp, NodeLook, NodeWork } from "./NodeLook.ts"
import type { NodePatches } from "./NodePatches.ts"
import type { NodeRecord } from "./NodeRecords.ts"
import { markPodsNotReady } from "./PodMarker.ts"
import type { NodeLifecycleSettings } from "./Settings.ts"
import { notReadyNoExecute, unreachableNoExecute } from "./Taints.ts"
import { zoneKeyOf } from "./ZoneKey.ts"
import type { Zones } from "./Zones.ts"

const RETRY_STEP_MS = 20
const RETRY_LIMIT_MS = 100

export interface NodePerformerOptions {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly zones: Zones
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
    return patches.remove(node, [unreachableNoExecute]).pipe(
      Effect.andThen(patches.remove(node, [notReadyNoExecute])),
      Effect.andThen(Effect.sync(() => zones.of(zoneKeyOf(labels)).cancel(name))),
      Effect.catch((error) =>
        Effect.logDebug("taints not removed").pipe(Effect.annotateLogs({ node: name, error: error.message }))
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
        const read = yield* Effect.result(cluster.get("Node", { name: record.name }))
        if (Result.isFailure(read)) return undefined
        current = read.success
        firstFailureMs ??= timers.now()
        const step = Math.floor((timers.now() - firstFailureMs) / RETRY_STEP_MS) + 1
        if (step * RETRY_STEP_MS > RETRY_LIMIT_MS) return undefined
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
    }
  )
}
