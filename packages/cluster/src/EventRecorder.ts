import { type Event, formatTime, type KubeObject, type ObjectReference } from "@rollcall/api"
import { fnv1a, guarded, nextRng, type Rng, type Timer, Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Cluster } from "./Cluster.ts"
import { type ApiError, type ClusterError, isNotFound } from "./ClusterError.ts"
import { type ComponentLog, componentLog, noLog } from "./ComponentLog.ts"
import type { Connection } from "./Connection.ts"
import { EventCorrelator } from "./EventCorrelator.ts"
import { Fifo } from "./internal/Fifo.ts"
import { neverThrowing } from "./neverThrowing.ts"

// The limits of client-go/tools/record/event.go: maxQueuedEvents, maxTriesPerEvent, defaultSleepDuration.
const MAX_QUEUED_EVENTS = 1000
const MAX_TRIES = 12
const RETRY_PAUSE_MS = 10_000

/** Why an event was not written. */
export type EventDrop = "queue full" | "spam" | "rejected" | "unreachable"

export interface EventSource {
  /** The reporting component: `node-controller`, `kubelet`. */
  readonly component: string
  /** The machine it runs on, for kubelets. */
  readonly host?: string
  readonly onDrop?: (event: Event, why: EventDrop, error?: ClusterError) => void
  /** Logs Events that could not be written. By default, `EventRecorder.make` uses the log of its effect. */
  readonly log?: ComponentLog
}

/**
 * Records core/v1 Events. An event is queued and written later, one after the other; recording never waits and never
 * fails. Upstream: client-go/tools/record/event.go.
 */
export interface EventRecorder {
  /**
   * Records an event about an object, or about the object of a reference; Events of cluster-scoped objects go to
   * namespace `default`. Annotations carry in machine-readable form what the message says.
   */
  readonly event: (
    regarding: KubeObject | ObjectReference,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>
  ) => void
  /** Begins as a new process, which does not know what was recorded before: drops the waiting Events, and counts none on. */
  readonly restart: () => void
  /** The number of Events that wait to be written. */
  readonly waiting: () => number
  /** Drops the waiting Events, cancels the write in flight, and writes nothing afterwards. */
  readonly close: () => void
}

/** The part of a recorder that a process uses which may end and start again. */
export type ProcessRecorder = Pick<EventRecorder, "event"> & Partial<Pick<EventRecorder, "restart">>

/** Returns the reference by which Events name an object. */
export const referenceTo = ({ apiVersion, kind, metadata }: KubeObject): ObjectReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  ...(metadata.namespace === undefined || metadata.namespace === "" ? {} : { namespace: metadata.namespace }),
  ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion })
})

/**
 * Returns a function that names Events `<object>.<hex nanoseconds>`. Virtual time does not advance while many events are
 * recorded, so each name is at least a nanosecond after the one before. Each source is shifted by up to 0.1 ms, so that
 * two sources rarely produce the same name for one object.
 */
const makeEventNamer = (source: EventSource) => {
  const offset = BigInt(fnv1a(`${source.component}/${source.host ?? ""}`) % 100_000)
  let last = 0n
  return (objectName: string, nowMs: number): string => {
    const nanos = BigInt(Math.round(nowMs * 1000)) * 1000n + offset
    last = nanos > last ? nanos : last + 1n
    return `${objectName}.${last.toString(16)}`
  }
}

/** The fields of an Event in a log line. */
const fieldsOf = ({ involvedObject, message, metadata, reason }: Event, err?: string) => ({
  ...(err === undefined ? {} : { err }),
  event: `${metadata.namespace}/${metadata.name}`,
  kind: involvedObject.kind,
  object: involvedObject.name,
  reason,
  message
})

/**
 * Whether an Event need not be sent again: it exists already, or its namespace is terminating. Upstream:
 * client-go/tools/record/event.go recordEvent.
 */
const isDiscarded = ({ reason, status }: ApiError): boolean =>
  reason === "AlreadyExists" ||
  status.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating") === true

/** Makes a recorder for plain code, which closes it itself. `random` draws the first pause after a failed write. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one cache of events and the functions that share it, as upstream's EventCorrelator.
export const makeEventRecorder = (
  connection: Connection,
  timers: TimersShape,
  random: Rng,
  source: EventSource
): EventRecorder => {
  const { log = noLog } = source
  let correlator = new EventCorrelator()
  const nameAt = makeEventNamer(source)
  const queue = new Fifo<Event>()
  let isWriting = false
  let isClosed = false
  let retry: Timer | undefined
  let cancel: (() => void) | undefined

  const drop = (event: Event, why: EventDrop, error?: ClusterError) =>
    void guarded(timers, "event recorder", () => source.onDrop?.(event, why, error))
  const safeConnection = neverThrowing(connection, timers)

  /** Tries once; calls `settled(true)` when the event is done with, written or not. */
  const tryOnce = (event: Event, patch: unknown, onEnd: (done: boolean, error?: ClusterError) => void): void => {
    const { name = "", namespace = "" } = event.metadata
    const handleAnswer = (answer: Result.Result<unknown, ClusterError>) => {
      if (isClosed) return
      if (Result.isSuccess(answer)) {
        guarded(timers, "event recorder", () => correlator.written(answer.success as Event))
        onEnd(true)
      } else if (answer.failure._tag === "ConnectionError") {
        log("error", "Unable to write event (may retry after sleeping)", fieldsOf(event, answer.failure.message))
        onEnd(false, answer.failure)
      } else {
        const severity = isDiscarded(answer.failure) ? "debug" : "error"
        log(severity, "Server rejected event (will not retry!)", fieldsOf(event, answer.failure.message))
        drop(event, "rejected", answer.failure)
        onEnd(true)
      }
    }
    const create = () => {
      cancel = safeConnection.send({ verb: "create", kind: "Event", namespace, object: event }, handleAnswer)
    }
    if (patch === undefined) {
      create()
      return
    }
    const request = { verb: "patch", kind: "Event", namespace, name, patchType: "strategic", body: patch } as const
    cancel = safeConnection.send(request, (answer) => {
      // The Event may have expired: it is created again, with its count.
      if (Result.isFailure(answer) && isNotFound(answer.failure)) create()
      else handleAnswer(answer)
    })
  }

  const write = (event: Event, patch: unknown, tries: number, next: () => void): void =>
    tryOnce(event, patch, (done, error) => {
      if (done) next()
      else if (tries + 1 >= MAX_TRIES) {
        log("error", "Unable to write event (retry limit exceeded!)", fieldsOf(event))
        drop(event, "unreachable", error)
        next()
      } else {
        // The first pause is random, so that clients do not return all at once.
        retry = timers.after(tries === 0 ? RETRY_PAUSE_MS * random() : RETRY_PAUSE_MS, () =>
          write(event, patch, tries + 1, next)
        )
      }
    })

  /** Returns what to write for an event; undefined if the correlator throws, so that other events are still written. */
  const correlate = (event: Event) => {
    try {
      return correlator.correlate(event, timers.now(), nameAt)
    } catch (error) {
      timers.handleError("event recorder", error, { component: source.component })
      return undefined
    }
  }

  const writeQueued = (): void => {
    while (queue.size > 0) {
      const event = queue.shift()
      const correlated = correlate(event)
      if (correlated === undefined) continue
      if (correlated.event === undefined) {
        drop(event, "spam")
        continue
      }
      let inCall = true
      let finished = false
      write(correlated.event, correlated.patch, 0, () => {
        finished = true
        if (!inCall) writeQueued()
      })
      inCall = false
      if (!finished) return
    }
    isWriting = false
  }

  return {
    event: (regarding, type, reason, message, annotations) => {
      if (isClosed) return
      const involvedObject = "metadata" in regarding ? referenceTo(regarding as KubeObject) : regarding
      const now = timers.now()
      const at = formatTime(now)
      const { namespace = "" } = involvedObject
      const event: Event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name: nameAt(involvedObject.name ?? "", now),
          namespace: namespace === "" ? "default" : namespace,
          ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations })
        },
        involvedObject,
        reason,
        message,
        source:
          source.host === undefined
            ? { component: source.component }
            : { component: source.component, host: source.host },
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
        type,
        eventTime: null,
        reportingComponent: source.component,
        reportingInstance: source.host ?? ""
      }
      if (queue.size >= MAX_QUEUED_EVENTS) {
        drop(event, "queue full")
        return
      }
      queue.push(event)
      if (isWriting) return
      isWriting = true
      timers.soon(writeQueued)
    },
    restart: () => {
      correlator = new EventCorrelator()
      queue.clear()
    },
    waiting: () => queue.size,
    close: () => {
      isClosed = true
      queue.clear()
      cancel?.()
      if (retry !== undefined) timers.cancel(retry)
    }
  }
}

export const EventRecorder = {
  /** Makes a recorder that writes through the Cluster service and closes with the scope. */
  make: (source: EventSource): Effect.Effect<EventRecorder, never, Cluster | Timers | Scope.Scope> =>
    Effect.gen(function* () {
      const { connection } = yield* Cluster
      const timers = yield* Timers
      const random = yield* nextRng
      const log = yield* componentLog
      return yield* Effect.acquireRelease(
        Effect.sync(() => makeEventRecorder(connection, timers, random, { log, ...source })),
        (recorder) => Effect.sync(recorder.close)
      )
    })
}
