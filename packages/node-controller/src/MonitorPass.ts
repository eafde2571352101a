import type { Node, Pod } from "@rollcall/api"
import { type ClusterShape, type EventRecorder, keyOf } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { updateAllNodesHealthSeconds, updateNodeHealthSeconds } from "./Metrics.ts"
import { afterStatusWrite, type HealthJudgement, judgeNodeHealth } from "./NodeHealth.ts"
import { type NodeFollowUp, NodeLook, type NodeWork } from "./NodeLook.ts"
import type { NodePatches } from "./NodePatches.ts"
import type { NodeRecord, NodeRecords } from "./NodeRecords.ts"
import type { NodeControllerObserver } from "./Observer.ts"
import { markPodsNotReady } from "./PodMarker.ts"
import type { NodeLifecycleSettings } from "./Settings.ts"
import { carriesNoExecutePair, notReadyNoExecute, unreachableNoExecute } from "./Taints.ts"
import { zoneKeyOf } from "./ZoneKey.ts"
import type { Zones } from "./Zones.ts"

/** Nodes of a pass that are worked on at a time. */
const WORKERS = 8
const RETRY_STEP_MS = 20
const RETRY_LIMIT_MS = 100

export interface MonitorPassOptions {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly records: NodeRecords
  readonly zones: Zones
  readonly patches: NodePatches
  readonly podsOn: (node: string) => Array<Pod>
  readonly settings: NodeLifecycleSettings
  readonly observer: NodeControllerObserver
  readonly metrics: Context.Context<never>
}

const byName = (left: Pod, right: Pod): number => (keyOf(left) < keyOf(right) ? -1 : 1)

/** Events about nodes bear the node's UID and no revision. */
const referenceTo = ({ metadata: { name = "", uid = "" } }: Node) => ({ apiVersion: "v1", kind: "Node", name, uid })

/**
 * One look at every node: are they alive, do they need a taint or lose one, must their pods be marked; then the zones.
 * Decides on the nodes as they are when it begins. What it writes comes back by the cache.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth.
 */
export const makeMonitorPass = (options: MonitorPassOptions): Effect.Effect<void> => {
  const { cluster, metrics, observer, patches, podsOn, records, recorder, settings, timers, zones } = options
  const looks = new NodeLook(zones, settings)

  const nodeEvent = (node: Node, reason: string, text: string) =>
    recorder.event(referenceTo(node), "Normal", reason, `Node ${node.metadata.name} ${text}`)

  const markReachable = (node: Node): Effect.Effect<void> =>
    patches.remove(node, [unreachableNoExecute]).pipe(
      Effect.andThen(patches.remove(node, [notReadyNoExecute])),
      Effect.andThen(
        Effect.sync(() => zones.of(zoneKeyOf(node.metadata.labels)).queue.remove(node.metadata.name ?? ""))
      ),
      // The name stays queued, and the next pass tries again.
      Effect.catch((error) =>
        Effect.logDebug("taints not removed").pipe(
          Effect.annotateLogs({ node: node.metadata.name, error: error.message })
        )
      ),
      Effect.asVoid
    )

  const welcome = (record: NodeRecord, node: Node): Effect.Effect<void> => {
    nodeEvent(node, "RegisteredNode", `event: Registered Node ${record.name} in Controller`)
    record.known = node
    zones.remember(zoneKeyOf(node.metadata.labels))
    return carriesNoExecutePair(node) ? markReachable(node) : Effect.void
  }

  /** Zones and nodes that are new, nodes that are gone. */
  const classify = Effect.fnUntraced(function* (present: ReadonlyArray<NodeRecord>, nodes: ReadonlyArray<Node>) {
    const departed = records.takeDeparted()
    const added: Array<readonly [NodeRecord, Node]> = []
    for (let index = 0; index < present.length; index++) {
      const record = present[index] as NodeRecord
      const node = nodes[index] as Node
      if (record.known === undefined) added.push([record, node])
      else if (record.finding?.node !== node || !record.finding.zone.remembered) {
        zones.remember(zoneKeyOf(node.metadata.labels))
      }
    }
    // Of every node after a restart: what an earlier controller tainted is forgiven, and queued anew if need be.
    for (const [record, node] of added) yield* welcome(record, node)
    for (const record of departed) {
      if (record.known === undefined) continue
      nodeEvent(record.known, "RemovingNode", `event: Removing Node ${record.name} from Controller`)
      record.known = undefined
    }
  })

  /** Writes the status; after a failure reads the node and judges it anew. A node for which that fails is left out. */
  const writeStatus = Effect.fnUntraced(function* (record: NodeRecord, node: Node, judgement: HealthJudgement) {
    let current = node
    let verdict = judgement
    let firstFailureMs: number | undefined
    while (verdict.mustWrite) {
      const { lease } = record
      const written = yield* Effect.result(cluster.updateStatus("Node", { ...current, status: verdict.status }))
      if (Result.isSuccess(written)) {
        record.health = afterStatusWrite(verdict, lease, timers.now())
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
  })

  const followUp = Effect.fnUntraced(function* (
    record: NodeRecord,
    { markPods, node, taints, transition }: NodeFollowUp
  ) {
    const pods = markPods ? podsOn(record.name).sort(byName) : []
    if (taints?.kind === "swap") yield* patches.swap(node, [taints.add], [taints.remove])
    else if (taints?.kind === "reachable") yield* markReachable(node)
    if (transition) nodeEvent(node, "NodeNotReady", "status is now: NodeNotReady")
    if (markPods) {
      const marked = yield* Effect.result(markPodsNotReady(cluster, recorder, timers.now, pods))
      if (Result.isFailure(marked)) {
        record.needsRetry = true
        return
      }
    }
    record.needsRetry = false
  })

  const perform = Effect.fnUntraced(function* (record: NodeRecord, node: Node, work: NodeWork) {
    const startedMs = timers.now()
    const rest = work.kind === "write" ? yield* writeStatus(record, node, work.judgement) : work
    if (rest !== undefined) yield* followUp(record, rest)
    updateNodeHealthSeconds.updateUnsafe((timers.now() - startedMs) / 1000, metrics)
  })

  /** Looks at all nodes in plain code; up to eight workers take up those that need requests, while the looking waits. */
  const sweep = (present: ReadonlyArray<NodeRecord>, nodes: ReadonlyArray<Node>): Effect.Effect<void> => {
    let index = 0
    const next = (): Effect.Effect<void> | undefined => {
      const now = timers.now()
      while (index < present.length) {
        const record = present[index] as NodeRecord
        const node = nodes[index++] as Node
        const work = looks.look(record, node, now)
        if (work !== undefined) return perform(record, node, work)
      }
      return undefined
    }
    const first = next()
    if (first === undefined) return Effect.void
    const worker = Effect.fnUntraced(function* (given: Effect.Effect<void> | undefined) {
      for (let task = given ?? next(); task !== undefined; task = next()) yield* task
    })
    const workers = Array.from({ length: WORKERS }, (_, at) => worker(at === 0 ? first : undefined))
    return Effect.all(workers, { concurrency: "unbounded", discard: true })
  }

  return Effect.gen(function* () {
    const startedMs = timers.now()
    const present = records.present()
    const nodes = present.map((record) => record.node as Node)
    yield* classify(present, nodes)
    zones.beginPass()
    yield* sweep(present, nodes)
    const modelledMs = settings.passBaseMs + settings.passPerNodeMs * nodes.length
    if (modelledMs > 0) yield* Effect.sleep(modelledMs)
    yield* zones.judge({
      markAllReachable: Effect.forEach(nodes, markReachable, { discard: true }),
      resetProbes: () => {
        const now = timers.now()
        for (const record of present) {
          if (record.health === undefined) continue
          record.health.probeMs = now
          record.health.readyTransitionMs = now
        }
      }
    })
    const endedMs = timers.now()
    updateAllNodesHealthSeconds.updateUnsafe((endedMs - startedMs) / 1000, metrics)
    observer.passEnded({ startedMs, endedMs, nodes: nodes.length })
  })
}
