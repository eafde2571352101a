import { CurrentRelease, formatTime, type Pod, type Taint } from "@rollcall/api"
import { createPodStatusPatch } from "@rollcall/api/patch"
import { Cluster, type ClusterShape, EventRecorder, keyOf, type ObjectKey } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import { byNodeName, ControllerInformers } from "./ControllerInformers.ts"
import { withDisruptionTarget } from "./DisruptionTarget.ts"
import { podDeletionSeconds, podDeletions } from "./Metrics.ts"
import { Observer } from "./Observer.ts"
import { judgeEviction } from "./TaintEviction.ts"
import { isNodeNews, isPodNews, noExecuteTaints, type PodItem, TaintEvictionQueue } from "./TaintEvictionQueue.ts"
import { type ScheduledEviction, TimedEvictions } from "./TimedEvictions.ts"
import { takingTurns } from "./takingTurns.ts"

const COMPONENT = "taint-eviction-controller"
const REASON = "DeletionByTaintManager"
const MESSAGE = "Taint manager: deleting due to NoExecute taint"
const DELETE_TRIES = 5
const DELETE_RETRY_MS = 10

const byName = (left: Pod, right: Pod): number => {
  const [one, other] = [keyOf(left), keyOf(right)]
  return one < other ? -1 : one > other ? 1 : 0
}

/** References of this controller's events have no UID. */
const referenceTo = (namespace: string, name: string) => ({ apiVersion: "v1", kind: "Pod", namespace, name })

/** Reads the pod, says in its status why it goes, deletes it with its own grace period. */
const addConditionAndDelete = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  now: () => number,
  key: ObjectKey,
  disruptionTarget: boolean
) {
  const pod = yield* cluster.get("Pod", key)
  const body = disruptionTarget
    ? createPodStatusPatch(pod, withDisruptionTarget(pod, REASON, MESSAGE, formatTime(now())))
    : undefined
  if (body !== undefined) yield* cluster.patch("Pod", key, "strategic", body, { subresource: "status" })
  yield* cluster.delete("Pod", key)
})

/**
 * Deletes pods from nodes with NoExecute taints, whoever put them there: at once where a taint is not tolerated, after the
 * tolerated seconds else. Upstream: pkg/controller/tainteviction/taint_eviction.go.
 */
export class TaintEvictionController extends Context.Service<
  TaintEvictionController,
  {
    /** Pods that will be deleted at their time unless something saves them. */
    readonly pending: () => ReadonlyArray<ScheduledEviction>
    /** Pods deleted since this controller started. */
    readonly deletions: () => number
  }
>()("@rollcall/node-controller/TaintEvictionController") {
  /** Runs while its scope is open; a controller that is built anew has forgotten all timers. */
  static readonly layer: Layer.Layer<TaintEvictionController, never, Cluster | Timers | ControllerInformers> =
    Layer.effect(
      TaintEvictionController,
      Effect.suspend(() => make)
    )
}

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const cluster = takingTurns(yield* Cluster, timers)
  const { nodes, pods, synced } = yield* ControllerInformers
  const observer = yield* Observer
  const { disruptionTarget } = yield* CurrentRelease
  const recorder = yield* EventRecorder.make({ component: COMPONENT }).pipe(Effect.provideService(Cluster, cluster))
  const run = yield* FiberSet.makeRuntime<never>()
  const taintedNodes = new Map<string, ReadonlyArray<Taint>>()
  let deletions = 0

  const deletePod = Effect.fnUntraced(function* (key: string, eviction: ScheduledEviction) {
    const { namespace, pod: name } = eviction
    recorder.event(
      referenceTo(namespace, name),
      "Normal",
      "TaintManagerEviction",
      `Marking for deletion Pod ${namespace}/${name}`
    )
    for (let tries = 0; tries < DELETE_TRIES; tries++) {
      const outcome = yield* Effect.result(
        addConditionAndDelete(cluster, timers.now, { namespace, name }, disruptionTarget)
      )
      if (Result.isSuccess(outcome)) {
        deletions++
        yield* Metric.update(podDeletions, 1)
        yield* Metric.update(podDeletionSeconds, (timers.now() - eviction.dueMs) / 1000)
        break
      }
      yield* Effect.sleep(DELETE_RETRY_MS)
    }
    evictions.finished(key)
  })

  const evictions = new TimedEvictions(timers, (key, eviction) => {
    run(deletePod(key, eviction))
  })

  const cancel = (key: string) => {
    const eviction = evictions.cancel(key)
    if (eviction === undefined) return
    const { namespace, pod } = eviction
    recorder.event(
      referenceTo(namespace, pod),
      "Normal",
      "TaintManagerEviction",
      `Cancelling deletion of Pod ${namespace}/${pod}`
    )
    observer.evictionCancelled(eviction)
  }

  const judge = (pod: Pod, taints: ReadonlyArray<Taint>, now: number) => {
    const key = keyOf(pod)
    const verdict = judgeEviction(taints, pod.spec.tolerations, evictions.pending(key)?.createdMs, now)
    if (verdict.kind === "keep") return
    cancel(key)
    if (verdict.kind === "spare") return
    const { createdMs, dueMs } = verdict.kind === "evict" ? { createdMs: now, dueMs: now } : verdict
    const { name = "", namespace = "" } = pod.metadata
    const eviction = { namespace, pod: name, node: pod.spec.nodeName ?? "", createdMs, dueMs }
    if (evictions.add(key, eviction) && dueMs > createdMs) observer.evictionScheduled(eviction)
  }

  const handleNode = (name: string) => {
    const node = nodes.find(name)
    const taints = noExecuteTaints(node)
    if (node === undefined || taints.length === 0) taintedNodes.delete(name)
    else taintedNodes.set(name, taints)
    // What is planned for pods of a node that is gone stays planned.
    if (node === undefined) return
    const now = timers.now()
    for (const pod of pods.byIndex(byNodeName, name).sort(byName)) {
      if (taints.length === 0) cancel(keyOf(pod))
      else judge(pod, taints, now)
    }
  }

  const handlePod = ({ name, namespace, node }: PodItem) => {
    const pod = pods.find(name, namespace)
    if (pod === undefined) {
      cancel(`${namespace}/${name}`)
      return
    }
    if ((pod.spec.nodeName ?? "") !== node || node === "") return
    const taints = taintedNodes.get(node)
    if (taints !== undefined) judge(pod, taints, timers.now())
  }

  const queue = new TaintEvictionQueue(timers, { handleNode, handlePod })

  const addPod = ({ metadata: { name = "", namespace = "" }, spec: { nodeName = "" } }: Pod) => {
    // No node is tainted and nothing is planned: looking at the pod would change nothing.
    if (taintedNodes.size === 0 && evictions.size === 0 && !queue.hasNodes) return
    queue.addPod({ namespace, name, node: nodeName })
  }

  const addNode = (name = "") => queue.addNode(name)
  const removeNodeHandler = nodes.addHandler({
    onAdd: (node) => {
      // A node that never was tainted needs no look.
      if (noExecuteTaints(node).length > 0 || evictions.size > 0) addNode(node.metadata.name)
    },
    onUpdate: (old, node) => {
      if (isNodeNews(old, node)) addNode(node.metadata.name)
    },
    onDelete: (node) => addNode(node.metadata.name)
  })
  const removePodHandler = pods.addHandler({
    onAdd: addPod,
    onUpdate: (old, pod) => {
      if (isPodNews(old, pod)) addPod(pod)
    },
    onDelete: addPod
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      removeNodeHandler()
      removePodHandler()
      queue.stop()
      evictions.clear()
    })
  )
  yield* synced.pipe(Effect.andThen(Effect.sync(() => queue.start())), Effect.forkScoped)
  return { pending: () => evictions.allPending(), deletions: () => deletions }
})
