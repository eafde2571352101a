import { badRequest, internalError, notAcceptable, type Resource, type Status, unknownError } from "@rollcall/api"
import type { ClusterError, WatchEvent, WatchRequest } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ApiServerShape } from "../ApiServer.ts"
import { revisionOf, unreadableRevisionText } from "../pipeline/freshness.ts"
import { printerOf } from "../printing/index.ts"
import type { KindState } from "../registry/KindState.ts"
import { selectionOf } from "../registry/Selection.ts"
import type { Call } from "./Call.ts"
import {
  EventEncoder,
  type EventShape,
  metadataEvents,
  plainEvents,
  type StreamEncoding,
  tableEvents
} from "./encodeEvent.ts"
import { mediaTypeOf, mediaTypes } from "./mediaTypes.ts"
import { Outbox } from "./Outbox.ts"
import { isStatus, type ListQuery, listQuery } from "./options.ts"
import { sendStatus } from "./respond.ts"
import { badIncludeObject, includeObjectOf } from "./shape.ts"

/** Upstream: apiserver/pkg/server/config.go, MinRequestTimeout; a watch lasts so long to twice that. */
const MIN_TIMEOUT_SECONDS = 1800
/** What may wait for a watcher's socket beyond what its watch began with. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024

export interface WatchServerOptions {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** From 0 to 1. */
  readonly chance: () => number
}

/** Watches over HTTP: each event is encoded once, and who does not read is sent away. */
export class WatchServer {
  private readonly options: WatchServerOptions
  private readonly encoder = new EventEncoder()
  private readonly outbox: Outbox
  private readonly streams = new Map<Stream, Resource>()

  constructor(options: WatchServerOptions) {
    this.options = options
    this.outbox = new Outbox(options.timers)
  }

  /** Watches that are going on, by what they watch. */
  counts(): ReadonlyMap<Resource, number> {
    const counts = new Map<Resource, number>()
    for (const resource of this.streams.values()) counts.set(resource, (counts.get(resource) ?? 0) + 1)
    return counts
  }

  serve(call: Call, state: KindState) {
    const options = listQuery(call.query, true)
    if (isStatus(options)) return sendStatus(call, options)
    const request = this.requestOf(call, state, options)
    const refusal = refusalOf(state, request)
    if (refusal !== undefined) return sendStatus(call, refusal)
    const shape = this.shapeOf(call, state)
    if (shape === undefined) return sendStatus(call, badIncludeObject(call))
    const encoding = call.negotiated?.encoding ?? "json"
    if (encoding === "yaml") {
      call.negotiated = undefined
      return sendStatus(call, notAcceptable(mediaTypes))
    }
    const stream = new Stream(call, { ...shape, encoding }, this.encoder, this.outbox, () =>
      this.streams.delete(stream)
    )
    this.streams.set(stream, state.definition.resource)
    stream.open(this.options.server.connect(call.identity).watch(request, stream))
  }

  /** Ends them all in good order, as a server does that goes away. */
  closeAll(): void {
    for (const stream of [...this.streams.keys()]) stream.end(undefined)
  }

  private requestOf(call: Call, { definition }: KindState, options: ListQuery): WatchRequest {
    const { name, namespace, watchPath } = call.info
    const {
      allowWatchBookmarks,
      continue: _,
      fieldSelector,
      labelSelector,
      resourceVersion,
      sendInitialEvents
    } = options
    const named = watchPath && name !== "" ? `metadata.name=${name}` : ""
    const fields = [named, fieldSelector ?? ""].filter((text) => text !== "").join(",")
    const timeoutSeconds =
      options.timeoutSeconds > 0
        ? options.timeoutSeconds
        : MIN_TIMEOUT_SECONDS + Math.floor(this.options.chance() * MIN_TIMEOUT_SECONDS)
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

  private shapeOf(call: Call, { definition }: KindState): EventShape | undefined {
    const { as, version = "v1" } = call.negotiated ?? {}
    if (as === undefined) return plainEvents
    if (as !== "Table") return metadataEvents(version)
    const includeObject = includeObjectOf(call)
    if (includeObject === undefined) return undefined
    const printer = definition.printer ?? printerOf(definition.resource)
    const kind = `${definition.apiVersion} ${definition.resource.kind}`
    const shape = tableEvents(printer, includeObject, version, this.options.timers.now)
    return { ...shape, key: `${shape.key} ${kind}` }
  }
}

/** What is wrong with a watch before it begins. */
const refusalOf = ({ definition }: KindState, request: WatchRequest): Status | undefined => {
  const selection = selectionOf(definition, request)
  if (Result.isFailure(selection)) return badRequest(selection.failure.message)
  const { resourceVersion } = request
  if (!Number.isNaN(revisionOf(resourceVersion))) return undefined
  return unknownError(unreadableRevisionText(resourceVersion ?? ""))
}

interface StreamShape extends EventShape {
  readonly encoding: StreamEncoding
}

/** One watch on its connection. */
class Stream {
  private readonly call: Call
  private readonly shape: StreamShape
  private readonly encoder: EventEncoder
  private readonly outbox: Outbox
  private readonly gone: () => void
  /** What the next round sends. */
  private frames: Array<Buffer> = []
  private waitingBytes = 0
  private stop: () => void = () => {}
  private begun = false
  private active = true
  private allowance = MAX_UNSENT_BYTES

  constructor(call: Call, shape: StreamShape, encoder: EventEncoder, outbox: Outbox, gone: () => void) {
    this.call = call
    this.shape = shape
    this.encoder = encoder
    this.outbox = outbox
    this.gone = gone
  }

  open(stop: () => void): void {
    this.stop = stop
    const { response } = this.call
    response.statusCode = 200
    response.setHeader("Cache-Control", "no-cache, private")
    const { encoding } = this.shape
    response.setHeader("Content-Type", encoding === "json" ? mediaTypeOf.json : `${mediaTypeOf[encoding]};stream=watch`)
    response.flushHeaders()
    response.on("close", () => this.close())
    this.call.onDone?.(200)
  }

  readonly events = (batch: ReadonlyArray<WatchEvent>) => {
    if (!this.active || batch.length === 0) return
    const { response } = this.call
    if (response.writableLength + this.waitingBytes > this.allowance) {
      this.close()
      response.destroy()
      return
    }
    if (this.frames.length === 0) this.outbox.add(this)
    let bytes = 0
    for (const event of batch) {
      const frame = this.frame(event)
      this.frames.push(frame)
      bytes += frame.length
    }
    this.waitingBytes += bytes
    if (bytes > MAX_UNSENT_BYTES) this.allowance += bytes
  }

  readonly flush = () => {
    const { frames } = this
    if (frames.length === 0) return
    this.frames = []
    this.waitingBytes = 0
    const only = frames.length === 1 ? frames[0] : undefined
    this.call.response.write(only ?? Buffer.concat(frames))
  }

  readonly end = (error: ClusterError | undefined) => {
    if (!this.active) return
    this.flush()
    this.close()
    const { response } = this.call
    if (error === undefined) response.end()
    else {
      const status = error._tag === "ApiError" ? error.status : internalError(error.message)
      response.end(this.frame({ type: "ERROR", object: status }))
    }
  }

  private frame(event: WatchEvent): Buffer {
    const frame = this.encoder.frame(event, this.shape, this.shape.encoding, !this.begun)
    this.begun = true
    return frame
  }

  private close(): void {
    if (!this.active) return
    this.active = false
    this.frames = []
    this.waitingBytes = 0
    this.stop()
    this.gone()
  }
}
