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
  /** The server's answer, where its text is the whole message. */
  answer: Schema.optionalKey(Schema.Union([ApiError, ConnectionError]))
}) {
  /** The messages without duplicates, joined as Go joins errors. */
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
  /** For all pods together; 0 or absent: no timeout. */
  readonly timeoutMs?: number
  readonly skipWaitForDeleteTimeoutSeconds?: number
  /** Send requests with `dryRun`, and wait for nothing. */
  readonly dryRun?: boolean
  readonly onEvent?: (event: DrainEvent) => void
}

const RETRY = "5 seconds"
const POLL_MS = 1000
const CAUSE = "NamespaceTerminating"

const isTooMany = (error: ClusterError): error is ApiError => error._tag === "ApiError" && error.code === 429
const isNamespaceTerminating = (error: ClusterError): error is ApiError =>
  isForbidden(error) && (error.status.details?.causes?.some(({ reason }) => reason === CAUSE) ?? false)
/** A server without the eviction subresource does not name the pod in its 404. */
const knowsNoEviction = (error: ClusterError): boolean => isNotFound(error) && error.status.details?.name === undefined

const keyOf = ({ metadata }: Pod) => ({ namespace: metadata.namespace, name: metadata.name ?? "" })
const placeOf = ({ metadata }: Pod): string =>
  `pods/${JSON.stringify(metadata.name)} -n ${JSON.stringify(metadata.namespace)}`

const refusal = (answer: ClusterError): DrainFailed => new DrainFailed({ messages: [answer.message], answer })

class Run {
  private readonly cluster: DrainCluster
  private readonly options: DrainOptions
  private readonly deadlineMs: number

  constructor(cluster: DrainCluster, options: DrainOptions, nowMs: number) {
    this.cluster = cluster
    this.options = options
    this.deadlineMs = options.timeoutMs ? nowMs + options.timeoutMs : Number.POSITIVE_INFINITY
  }

  private tell(event: DrainEvent): void {
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
   * Repeats the eviction until it is granted; the pod may still be terminating afterwards. Returns `deleted` when the
   * server has no evictions, so the pod was deleted instead.
   */
  private readonly evict = Effect.fnUntraced(function* (this: Run, pod: Pod) {
    let active = pod
    for (let refused = false; ; refused = true) {
      this.tell({ type: "evicting", pod })
      if (yield* this.isLate) {
        return yield* new DrainFailed({ messages: [`error when evicting ${placeOf(pod)}: ${this.timedOut()}`] })
      }
      if (refused) {
        const fresh = yield* Effect.result(this.cluster.get("Pod", keyOf(pod)))
        if (Result.isSuccess(fresh)) active = fresh.success
      }
      const answer = yield* Effect.result(this.cluster.evict(keyOf(pod), this.deleteOptions()))
      if (Result.isSuccess(answer)) return "evicted" as const
      const error = answer.failure
      if (knowsNoEviction(error)) {
        yield* this.remove(pod)
        return "deleted" as const
      }
      if (isNotFound(error)) return "gone" as const
      if (isTooMany(error)) this.tell({ type: "refused", pod, error })
      else if (isNamespaceTerminating(error)) {
        if (active.metadata.deletionTimestamp !== undefined) return "evicted" as const
        this.tell({ type: "namespaceTerminating", pod, error })
      } else {
        return yield* new DrainFailed({ messages: [`error when evicting ${placeOf(pod)}: ${error.message}`] })
      }
      yield* Effect.sleep(RETRY)
    }
  })

  private readonly remove = Effect.fnUntraced(function* (this: Run, pod: Pod) {
    this.tell({ type: "deleting", pod })
    yield* this.cluster.delete("Pod", keyOf(pod), this.deleteOptions()).pipe(
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.mapError(refusal)
    )
  })

  /** Waits until the pod is deleted, or another pod has its name. Checks at once first, even after the deadline. */
  private readonly awaitGone = Effect.fnUntraced(function* (this: Run, pod: Pod, how: "evicted" | "deleted") {
    const { skipWaitForDeleteTimeoutSeconds: seconds = 0 } = this.options
    for (;;) {
      const answer = yield* Effect.result(this.cluster.get("Pod", keyOf(pod)))
      if (Result.isFailure(answer)) {
        if (isNotFound(answer.failure)) return this.tell({ type: how, pod })
        if (how === "deleted") return yield* refusal(answer.failure)
        return yield* this.waitFailed(pod, how, answer.failure.message)
      }
      if (answer.success.metadata.uid !== pod.metadata.uid) return this.tell({ type: how, pod })
      const nowMs = yield* Clock.currentTimeMillis
      if (isLongDeleted(answer.success, seconds, nowMs)) return this.tell({ type: "skipped", pod, seconds })
      if (nowMs >= this.deadlineMs) return yield* this.waitFailed(pod, how, this.timedOut())
      yield* Effect.sleep(Math.min(POLL_MS, this.deadlineMs - nowMs))
      if (yield* this.isLate) return yield* this.waitFailed(pod, how, "context deadline exceeded")
    }
  })

  private waitFailed({ metadata }: Pod, how: "evicted" | "deleted", why: string): DrainFailed {
    const [name, namespace] = [JSON.stringify(metadata.name), JSON.stringify(metadata.namespace)]
    const where = how === "deleted" ? "" : `error when waiting for pod ${name} in namespace ${namespace} to terminate: `
    return new DrainFailed({ messages: [`${where}${why}`] })
  }

  readonly evictAndWait = Effect.fnUntraced(function* (this: Run, pod: Pod) {
    const how = yield* this.evict(pod)
    if (how !== "gone" && this.options.dryRun !== true) yield* this.awaitGone(pod, how)
  })

  readonly deleteAll = Effect.fnUntraced(function* (this: Run, pods: ReadonlyArray<Pod>) {
    for (const pod of pods) yield* this.remove(pod)
    if (this.options.dryRun === true) return
    yield* Effect.forEach(pods, (pod) => this.awaitGone(pod, "deleted"), { concurrency: "unbounded", discard: true })
  })
}

/**
 * Evicts pods, all at once, and waits until each is deleted. An eviction that a budget refuses is retried every five
 * seconds; a failure for one pod does not stop the others. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go,
 * DeleteOrEvictPods.
 */
export const evictPods = Effect.fnUntraced(function* (
  cluster: DrainCluster,
  pods: ReadonlyArray<Pod>,
  options: DrainOptions = {}
) {
  const run = new Run(cluster, options, yield* Clock.currentTimeMillis)
  if (options.disableEviction === true) return yield* run.deleteAll(pods)
  const ends = yield* Effect.forEach(pods, (pod) => Effect.result(run.evictAndWait(pod)), { concurrency: "unbounded" })
  const messages = ends.flatMap((end) => (Result.isFailure(end) ? end.failure.messages : []))
  if (messages.length > 0) return yield* new DrainFailed({ messages })
})
