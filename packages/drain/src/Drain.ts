import { type DeleteOptions, formatDuration, type Pod } from "@rollcall/api"
import {
  ApiError,
  type ClusterError,
  type ClusterShape,
  ConnectionError,
  isForbidden,
  isNotFound
} from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DrainEvent } from "./DrainProgress.ts"
import { isLongDeleted } from "./PodFilters.ts"

/** A drain that did not complete; the messages are kubectl's. */
export class DrainFailed extends Schema.TaggedError<DrainFailed>()("DrainFailed", {
  messages: Schema.Array(Schema.String),
  /** The server's answer to the request that failed, if its text is the whole message. */
  answer: Schema.optionalKey(Schema.Union([ApiError, ConnectionError]))
}) {
  /** The messages without duplicates; several are joined as Go's apimachinery joins errors: `[a, b]`. */
  override get message(): string {
    const texts = [...new Set(this.messages)]
    return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
  }
}

/** The cluster operations that evicting needs. */
export type DrainCluster = Pick<ClusterShape, "get" | "evict" | "delete">

export interface DrainOptions {
  /** Delete the pods instead of evicting them, which bypasses all budgets. */
  readonly disableEviction?: boolean
  /** Overrides each pod's own grace period. */
  readonly gracePeriodSeconds?: number
  /** Timeout for all pods together; 0 or absent means none. */
  readonly timeoutMs?: number
  /** Pods that have been terminating for longer than this are not waited for; 0 or absent means that all are. */
  readonly skipWaitForDeleteTimeoutSeconds?: number
  /** Send requests with `dryRun`, and wait for nothing. */
  readonly dryRun?: boolean
  /** Called at each step, before or after its request: see `DrainEvent`. */
  readonly onEvent?: (event: DrainEvent) => void
}

/** Pause before a refused eviction is sent again. Upstream: drain.go evictPods. */
const RETRY_INTERVAL = "5 seconds"
/** How often it is checked whether a pod still exists. Upstream: drain.go waitForDelete, kubectl's Interval. */
const POLL_INTERVAL_MS = 1000
const NAMESPACE_TERMINATING = "NamespaceTerminating"

const isTooManyRequests = (error: ClusterError): error is ApiError => error._tag === "ApiError" && error.code === 429
const isNamespaceTerminating = (error: ClusterError): error is ApiError =>
  isForbidden(error) && (error.status.details?.causes?.some(({ reason }) => reason === NAMESPACE_TERMINATING) ?? false)
/** A server without the eviction subresource does not name the pod in its 404. */
const isEvictionUnsupported = (error: ClusterError): boolean =>
  isNotFound(error) && error.status.details?.name === undefined

const keyOf = ({ metadata }: Pod) => ({ namespace: metadata.namespace, name: metadata.name ?? "" })
/** A pod as kubectl's errors show it: `pods/"name" -n "namespace"`. */
const quotedPod = ({ metadata }: Pod): string =>
  `pods/${JSON.stringify(metadata.name)} -n ${JSON.stringify(metadata.namespace)}`

const failedWith = (answer: ClusterError): DrainFailed => new DrainFailed({ messages: [answer.message], answer })

/** One drain: its options and its deadline. */
class DrainRun {
  private readonly cluster: DrainCluster
  private readonly options: DrainOptions
  private readonly deadlineMs: number

  constructor(cluster: DrainCluster, options: DrainOptions, nowMs: number) {
    this.cluster = cluster
    this.options = options
    this.deadlineMs = options.timeoutMs ? nowMs + options.timeoutMs : Number.POSITIVE_INFINITY
  }

  private emit(event: DrainEvent): void {
    this.options.onEvent?.(event)
  }

  private readonly deleteOptions = (): DeleteOptions | undefined => {
    const { dryRun, gracePeriodSeconds } = this.options
    const options: DeleteOptions = {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(dryRun ? { dryRun: ["All"] } : {})
    }
    return Object.keys(options).length === 0 ? undefined : options
  }

  private readonly isLate = Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs >= this.deadlineMs)

  private timedOut(): string {
    return `global timeout reached: ${formatDuration(this.options.timeoutMs ?? 0)}`
  }

  /**
   * Repeats the eviction until it is granted; the pod may still be terminating afterwards. Returns `deleted` if the
   * server does not support evictions, so that the pod was deleted instead, and `gone` if it no longer exists.
   */
  private readonly evict = Effect.fnUntraced(function* (this: DrainRun, pod: Pod) {
    let latest = pod
    for (let isRetry = false; ; isRetry = true) {
      this.emit({ type: "evicting", pod })
      if (yield* this.isLate) {
        return yield* new DrainFailed({ messages: [`error when evicting ${quotedPod(pod)}: ${this.timedOut()}`] })
      }
      if (isRetry) {
        const current = yield* Effect.result(this.cluster.get("Pod", keyOf(pod)))
        if (Result.isSuccess(current)) latest = current.success
      }
      const answer = yield* Effect.result(this.cluster.evict(keyOf(pod), this.deleteOptions()))
      if (Result.isSuccess(answer)) return "evicted" as const
      const error = answer.failure
      if (isEvictionUnsupported(error)) {
        yield* this.remove(pod)
        return "deleted" as const
      }
      if (isNotFound(error)) return "gone" as const
      if (isTooManyRequests(error)) this.emit({ type: "refused", pod, error })
      else if (isNamespaceTerminating(error)) {
        if (latest.metadata.deletionTimestamp !== undefined) return "evicted" as const
        this.emit({ type: "namespaceTerminating", pod, error })
      } else {
        return yield* new DrainFailed({ messages: [`error when evicting ${quotedPod(pod)}: ${error.message}`] })
      }
      yield* Effect.sleep(RETRY_INTERVAL)
    }
  })

  private readonly remove = Effect.fnUntraced(function* (this: DrainRun, pod: Pod) {
    this.emit({ type: "deleting", pod })
    yield* this.cluster.delete("Pod", keyOf(pod), this.deleteOptions()).pipe(
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.mapError(failedWith)
    )
  })

  /**
   * Waits until the pod is deleted, or another pod has its name. The first check is made at once, even after the
   * deadline.
   */
  private readonly waitUntilGone = Effect.fnUntraced(function* (this: DrainRun, pod: Pod, how: "evicted" | "deleted") {
    const { skipWaitForDeleteTimeoutSeconds: seconds = 0 } = this.options
    for (;;) {
      const answer = yield* Effect.result(this.cluster.get("Pod", keyOf(pod)))
      if (Result.isFailure(answer)) {
        if (isNotFound(answer.failure)) return this.emit({ type: how, pod })
        if (how === "deleted") return yield* failedWith(answer.failure)
        return yield* this.waitFailed(pod, how, answer.failure.message)
      }
      if (answer.success.metadata.uid !== pod.metadata.uid) return this.emit({ type: how, pod })
      const nowMs = yield* Clock.currentTimeMillis
      if (isLongDeleted(answer.success, seconds, nowMs)) return this.emit({ type: "skipped", pod, seconds })
      if (nowMs >= this.deadlineMs) return yield* this.waitFailed(pod, how, this.timedOut())
      yield* Effect.sleep(Math.min(POLL_INTERVAL_MS, this.deadlineMs - nowMs))
      if (yield* this.isLate) return yield* this.waitFailed(pod, how, "context deadline exceeded")
    }
  })

  private waitFailed({ metadata }: Pod, how: "evicted" | "deleted", why: string): DrainFailed {
    const [name, namespace] = [JSON.stringify(metadata.name), JSON.stringify(metadata.namespace)]
    const prefix =
      how === "deleted" ? "" : `error when waiting for pod ${name} in namespace ${namespace} to terminate: `
    return new DrainFailed({ messages: [`${prefix}${why}`] })
  }

  readonly evictAndWait = Effect.fnUntraced(function* (this: DrainRun, pod: Pod) {
    const how = yield* this.evict(pod)
    if (how !== "gone" && this.options.dryRun !== true) yield* this.waitUntilGone(pod, how)
  })

  readonly deleteAll = Effect.fnUntraced(function* (this: DrainRun, pods: ReadonlyArray<Pod>) {
    for (const pod of pods) yield* this.remove(pod)
    if (this.options.dryRun === true) return
    yield* Effect.forEach(pods, (pod) => this.waitUntilGone(pod, "deleted"), {
      concurrency: "unbounded",
      discard: true
    })
  })
}

/**
 * Evicts pods, all at once, and waits until each is deleted. An eviction that a budget refuses is retried every five
 * seconds. Fails with `DrainFailed`, after all pods are done: a failure for one pod does not stop the others. Upstream:
 * staging/src/k8s.io/kubectl/pkg/drain/drain.go DeleteOrEvictPods.
 */
export const evictPods = Effect.fnUntraced(function* (
  cluster: DrainCluster,
  pods: ReadonlyArray<Pod>,
  options: DrainOptions = {}
) {
  const run = new DrainRun(cluster, options, yield* Clock.currentTimeMillis)
  if (options.disableEviction === true) return yield* run.deleteAll(pods)
  const results = yield* Effect.forEach(pods, (pod) => Effect.result(run.evictAndWait(pod)), {
    concurrency: "unbounded"
  })
  const messages = results.flatMap((result) => (Result.isFailure(result) ? result.failure.messages : []))
  if (messages.length > 0) return yield* new DrainFailed({ messages })
})
