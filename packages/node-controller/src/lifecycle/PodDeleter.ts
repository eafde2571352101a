import type { Node, Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type EventRecorder, isNotFound } from "@rollcall/cluster"
import type { QueuedEviction } from "@rollcall/eviction"
import { done, type Outcome, retryAfter } from "@rollcall/eviction/rules"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { ZoneMeters } from "./metrics.ts"
import type { NodeRecords } from "./NodeRecords.ts"
import { isDeletedWithNode, remainingGraceMs } from "./PodDeletion.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

/** The shortest pause between two visits to a node. */
const SHORTEST_WAIT_MS = 100

export interface PodDeleterOptions {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly records: NodeRecords
  readonly meters: ZoneMeters
}

/**
 * Deletes the pods of lost nodes, as node controllers did before taints: deletes the pods of a node when its zone's
 * queue reaches it, and force-deletes those that have not terminated in time. Upstream until 1.12:
 * pkg/controller/node/controller_utils.go deletePods; until 1.4: terminatePods.
 */
export class PodDeleter {
  private readonly options: PodDeleterOptions

  constructor(options: PodDeleterOptions) {
    this.options = options
  }

  /** Deletes all pods of a node, then queues the node in the zone's `terminating` queue for `forceDeletePods`. */
  deletePods(name: string, { zone }: QueuedEviction): Effect.Effect<Outcome> {
    const { cluster, meters, recorder, records, timers } = this.options
    return Effect.gen({ self: this }, function* () {
      const node = records.find(name)?.node
      if (node !== undefined) meters.addEvictions(zoneKeyOf(node.metadata.labels), 1)
      const pods = yield* this.podsOn(name)
      if (pods.length > 0) this.recordEvent(name, node, "DeletingAllPods", `Deleting all Pods from Node ${name}.`)
      const toDelete = pods.filter(isDeletedWithNode)
      for (const pod of toDelete) {
        yield* this.setNodeLostReason(pod, name)
        const text = `Marking for deletion Pod ${pod.metadata.name} from Node ${name}`
        recorder.event(pod, "Normal", "NodeControllerEviction", text)
        yield* cluster.delete("Pod", keyOf(pod))
      }
      if (toDelete.length > 0) zone.terminating?.add(name, timers.now())
      return done
    }).pipe(this.retryOnFailure(name))
  }

  /** Force-deletes the pods of a node whose grace period has passed; requeues the node for the others. */
  forceDeletePods(name: string, { addedAt }: QueuedEviction): Effect.Effect<Outcome> {
    const { cluster, records, timers } = this.options
    return Effect.gen({ self: this }, function* () {
      const node = records.find(name)?.node
      let allTerminated = true
      let waitMs = 0
      for (const pod of yield* this.podsOn(name)) {
        const remaining = remainingGraceMs(pod, addedAt, timers.now())
        if (remaining === undefined) continue
        if (remaining < 0) {
          const text = `Pod ${pod.metadata.name} has exceeded the grace period for deletion after being evicted from Node ${JSON.stringify(name)} and is being force killed`
          this.recordEvent(name, node, "TerminatingEvictedPod", text)
          yield* ignoreMissing(cluster.delete("Pod", keyOf(pod), { gracePeriodSeconds: 0 }))
        } else {
          allTerminated = false
          waitMs = Math.max(waitMs, remaining)
        }
      }
      if (!allTerminated) return retryAfter(Math.max(waitMs, SHORTEST_WAIT_MS))
      this.recordEvent(name, node, "TerminatedAllPods", `Terminated all Pods on Node ${name}.`)
      return done
    }).pipe(this.retryOnFailure(name))
  }

  private podsOn(name: string): Effect.Effect<ReadonlyArray<Pod>, ClusterError> {
    const { cluster } = this.options
    return Effect.map(cluster.list("Pod", { fieldSelector: `spec.nodeName=${name}` }), ({ items }) => items)
  }

  private setNodeLostReason(pod: Pod, node: string): Effect.Effect<void, ClusterError> {
    if (pod.status?.reason === "NodeLost") return Effect.void
    const message = `Node ${node} which was running pod ${pod.metadata.name} is unresponsive`
    const status = { ...pod.status, reason: "NodeLost", message }
    return Effect.asVoid(this.options.cluster.updateStatus("Pod", { ...pod, status }))
  }

  private recordEvent(name: string, node: Node | undefined, reason: string, text: string): void {
    const reference = { apiVersion: "v1", kind: "Node", name, uid: node?.metadata.uid ?? "" }
    this.options.recorder.event(reference, "Normal", reason, `Node ${name} event: ${text}`)
  }

  /** After a failure the node is queued again, which costs another token. */
  private retryOnFailure(name: string) {
    return (work: Effect.Effect<Outcome, ClusterError>): Effect.Effect<Outcome> =>
      Effect.catch(work, (error) =>
        Effect.as(
          Effect.logDebug("pods of a lost node not deleted").pipe(
            Effect.annotateLogs({ node: name, error: error.message })
          ),
          retryAfter(0)
        )
      )
  }
}

const keyOf = ({ metadata: { name = "", namespace = "" } }: Pod) => ({ namespace, name })

const ignoreMissing = <A>(effect: Effect.Effect<A, ClusterError>): Effect.Effect<void, ClusterError> =>
  Effect.catchIf(Effect.asVoid(effect), isNotFound, () => Effect.void)
