import {
  badRequest,
  exactFieldValue,
  parseFieldSelector,
  type Resource,
  type Status,
  unknownError
} from "@rollcall/api"
import type { WatchRequest } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import { invalidRevisionMessage, revisionOf } from "../../core/objects/revisions.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import { selectionOf } from "../../core/watch/Selection.ts"
import { watchBrokenError } from "../../core/watch/watchErrors.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { scopeOf } from "../metrics/requestLabels.ts"
import type { WatchMetrics } from "../metrics/WatchMetrics.ts"
import { noAcceptedType, streamMediaTypes } from "../request/mediaTypes.ts"
import { isStatus, type ListQuery, listQuery } from "../request/Query.ts"
import type { Outbox } from "../wire/Outbox.ts"
import type { Unsent } from "../wire/Unsent.ts"
import { EventEncoder, type EventShape, listEvents, metadataEvents, plainEvents, tableEvents } from "./encodeEvent.ts"
import { badIncludeObject, includeObjectOf } from "./shape.ts"
import { WatchStream } from "./WatchStream.ts"
import { openChannel } from "./watchChannels.ts"

/**
 * Upstream: apiserver/pkg/server/config.go, MinRequestTimeout. A watch without a timeout lasts from this to twice this,
 * at random, so that clients do not all reconnect at once.
 */
const MIN_TIMEOUT_SECONDS = 1800

/** The least pace at which a server that stops ends watches, and how often it ends some. */
const MIN_ENDS_PER_MS = 0.2
const ROUND_MS = 10

export interface WatchServerOptions {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** Run as the clocks of clients do, where `timers` runs faster. */
  readonly wireTimers: TimersShape
  readonly outbox: Outbox
  /** Random numbers from 0 to 1. */
  readonly random: () => number
  readonly unsent: Unsent
  readonly metrics: WatchMetrics
}

/** What open watches are counted by. */
export interface WatchScope {
  readonly resource: Resource
  /** `cluster`, `namespace` or `resource`. */
  readonly scope: string
}

/** Watches over HTTP: each event is encoded once, and clients that do not read are disconnected. */
export class WatchServer {
  private readonly options: WatchServerOptions
  private readonly encoder = new EventEncoder()
  private readonly streams = new Map<WatchStream, WatchScope>()
  /** The number of watches that were cut off because their client did not read. */
  readonly terminated = new Map<Resource, number>()

  constructor(options: WatchServerOptions) {
    this.options = options
  }

  /** Returns the number of open watches by resource and scope. */
  counts(): ReadonlyArray<readonly [WatchScope, number]> {
    const counts = new Map<Resource, Map<string, number>>()
    for (const { resource, scope } of this.streams.values()) {
      const scopes = counts.get(resource) ?? new Map<string, number>()
      counts.set(resource, scopes.set(scope, (scopes.get(scope) ?? 0) + 1))
    }
    return [...counts].flatMap(([resource, scopes]) =>
      [...scopes].map(([scope, count]) => [{ resource, scope }, count] as const)
    )
  }

  /** Starts a watch, or refuses it. */
  serve(call: Call, state: KindState) {
    // A path that always watches may have a query that does not; then its options are those of a list.
    const options = listQuery(call.query, call.query.flag("watch") === true)
    if (isStatus(options)) return sendStatus(call, options)
    if (selectsOtherName(call, options)) return sendStatus(call, OTHER_NAME)
    const request = this.requestOf(call, state, options)
    const refusal = refusalOf(state, request)
    if (refusal !== undefined) return sendStatus(call, refusal)
    const shape = this.shapeOf(call, state)
    if (shape === undefined) return sendStatus(call, badIncludeObject(call))
    const encoding = call.negotiated?.encoding ?? "json"
    if (encoding === "yaml") {
      return sendStatus(call, noAcceptedType(streamMediaTypes))
    }
    const channel = openChannel(call, encoding)
    if (channel === undefined) return
    const { resource } = state.definition
    const onEnd = (isDisconnected: boolean) => {
      this.streams.delete(stream)
      if (isDisconnected) this.terminated.set(resource, (this.terminated.get(resource) ?? 0) + 1)
    }
    const onError = (error: unknown) => {
      this.options.timers.handleError("watch", error, { kind: state.definition.key })
      return watchBrokenError()
    }
    const { encoder } = this
    const { metrics, outbox } = this.options
    const scope = watchScopeOf(call, request)
    const onListSent = () => metrics.listSent(resource, scope, (metrics.now() - call.startedMs) / 1000)
    const stream = new WatchStream(call, {
      channel,
      shape: { ...shape, encoding },
      encoder,
      outbox,
      sent: metrics.sent(resource),
      onListSent: request.sendInitialEvents === true ? onListSent : undefined,
      onError,
      onEnd
    })
    this.streams.set(stream, { resource, scope })
    stream.open(this.options.server.connect(call.identity).watch(request, stream))
  }

  /**
   * Ends all watches cleanly, as a server that shuts down does: at an even pace that takes the time, but at least 200 a
   * second. Upstream: apiserver/pkg/server/genericapiserver.go, WatchRequestWaitGroup.
   */
  closeAll(withinMs: number): void {
    const streams = [...this.streams.keys()]
    const perMs = withinMs > 0 ? Math.max(streams.length / withinMs, MIN_ENDS_PER_MS) : streams.length
    const perRound = Math.ceil(perMs * ROUND_MS)
    const endFrom = (start: number) => {
      const next = start + perRound
      for (const stream of streams.slice(start, next)) stream.end(undefined)
      if (next < streams.length) this.options.wireTimers.after(ROUND_MS, () => endFrom(next))
    }
    endFrom(0)
  }

  private requestOf(call: Call, { definition }: KindState, options: ListQuery): WatchRequest {
    const { name, namespace } = call.info
    const {
      allowWatchBookmarks,
      continue: _,
      fieldSelector,
      labelSelector,
      resourceVersion,
      sendInitialEvents
    } = options
    const fields = name === "" ? (fieldSelector ?? "") : `metadata.name=${name}`
    const timeoutSeconds =
      options.timeoutSeconds !== 0
        ? // A negative time is over at once.
          Math.max(options.timeoutSeconds, 0.001)
        : MIN_TIMEOUT_SECONDS + Math.floor(this.options.random() * MIN_TIMEOUT_SECONDS)
    return {
      verb: "watch",
      kind: definition.key,
      ...(definition.resource.namespaced && namespace !== "" ? { namespace } : {}),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fields === "" ? {} : { fieldSelector: fields }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
      allowWatchBookmarks,
      timeoutSeconds
    }
  }

  /** Returns the form of the events; undefined for an invalid `includeObject`. */
  private shapeOf(call: Call, { definition }: KindState): EventShape | undefined {
    const { as, version = "v1" } = call.negotiated ?? {}
    if (as === undefined) return plainEvents
    if (as === "PartialObjectMetadataList") return listEvents
    if (as !== "Table") return metadataEvents(version)
    const includeObject = includeObjectOf(call)
    if (includeObject === undefined) return undefined
    const kind = `${definition.apiVersion} ${definition.resource.kind}`
    const shape = tableEvents(definition.printer, includeObject, version, this.options.timers)
    return { ...shape, key: `${shape.key} ${kind}` }
  }
}

/** A selector of one name makes the scope that of a resource. Upstream: RequestInfo has that name. */
const watchScopeOf = ({ info }: Call, { fieldSelector }: WatchRequest): string => {
  const parsed = fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector)
  const name =
    parsed !== undefined && Result.isSuccess(parsed) ? exactFieldValue(parsed.success, "metadata.name") : undefined
  return scopeOf(name === undefined ? info : { ...info, name })
}

const OTHER_NAME = badRequest("fieldSelector metadata.name doesn't match requested name")

/** Whether the path names one object, and the field selector does not select it by that name. */
const selectsOtherName = ({ info }: Call, { fieldSelector }: ListQuery): boolean => {
  if (info.name === "" || fieldSelector === undefined) return false
  const parsed = parseFieldSelector(fieldSelector)
  return Result.isSuccess(parsed) && exactFieldValue(parsed.success, "metadata.name") !== info.name
}

/** Returns the Status that refuses a watch; undefined if it can start. */
const refusalOf = ({ definition }: KindState, request: WatchRequest): Status | undefined => {
  const selection = selectionOf(definition, request)
  if (Result.isFailure(selection)) return badRequest(selection.failure.message)
  const { resourceVersion } = request
  if (!Number.isNaN(revisionOf(resourceVersion))) return undefined
  return unknownError(invalidRevisionMessage(resourceVersion ?? ""))
}
