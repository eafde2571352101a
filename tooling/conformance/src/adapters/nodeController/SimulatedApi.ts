import { formatMicroTime, formatTime, type KindName, type KubeObject, parseTime, type Status } from "@rollcall/api"
import { applyStrategicPatch } from "@rollcall/api/patch"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  Cluster,
  type Connection,
  cancellable,
  type WatchEvent,
  type WatchSink
} from "@rollcall/cluster"
import { ControllerInformers, type NodeControllerObserver, noObserver, Observer } from "@rollcall/node-controller"
import { makeVirtualTime, type Timers, type VirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Json } from "../../Adapter.ts"

/** Second 0 of a vector, in milliseconds since the Unix epoch: 2026-01-01T00:00:00Z. */
const ORIGIN_MS = 1_767_225_600_000

export const millisecondsOf = (seconds: number): number => ORIGIN_MS + seconds * 1000

/** Returns a wire time; keeps the fraction of a second, which vectors have but the wire format does not. */
export const toWire = (seconds: number): string =>
  Number.isInteger(seconds) ? formatTime(millisecondsOf(seconds)) : formatMicroTime(millisecondsOf(seconds))

export const fromWire = (text: string): number => (parseTime(text) - ORIGIN_MS) / 1000

const apiError = (code: number, reason: string): ApiError => {
  const status: Status = {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    reason,
    message: reason
  }
  return new ApiError({ status })
}

/** Returns the merge key of a condition or taint, or undefined for other items. */
const identity = (item: Json): string | undefined =>
  typeof item !== "object" || item === null ? undefined : (item.type ?? (item.key && `${item.key}:${item.effect}`))

/** Restores the fraction that a time written now lost in the wire format. */
const restoreFractions = (before: Json, after: Json, now: number): Json => {
  if (after === formatTime(now) && before !== after && now % 1000 !== 0) return formatMicroTime(now)
  if (Array.isArray(after)) {
    return after.map((item, index) => {
      const name = identity(item)
      const previousItem =
        name === undefined ? before?.[index] : before?.find?.((other: Json) => identity(other) === name)
      return restoreFractions(previousItem, item, now)
    })
  }
  if (typeof after !== "object" || after === null) return after
  return Object.fromEntries(
    Object.entries(after).map(([key, value]) => [key, restoreFractions(before?.[key], value, now)])
  )
}

/**
 * A small API server in virtual time, for the node controllers of one vector. Changes reach the controllers' caches
 * after the step that made them ends.
 */
export class SimulatedApi {
  readonly time: VirtualTime = makeVirtualTime(ORIGIN_MS)
  private readonly objects = new Map<string, Json>()
  private readonly watchers: Array<{ readonly kind: KindName; readonly sink: WatchSink }> = []
  private pendingEvents: Array<{ readonly kind: KindName; readonly event: WatchEvent }> = []
  private revision = 0
  private scope: Scope.Closeable | undefined
  /** Called for each request. A response that it returns is used; undefined leaves the request to the simulated API. */
  intercept: (request: ApiRequest) => Answer | undefined = () => undefined
  /** The Events that controllers created, oldest first, with their second in `at`. */
  readonly recordedEvents: Array<Json> = []

  get seconds(): number {
    return this.secondsOf(this.time.timers.now())
  }

  secondsOf(ms: number): number {
    return (ms - ORIGIN_MS) / 1000
  }

  all(kind: KindName): Array<Json> {
    return [...this.objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object)
  }

  find(kind: KindName, name: string): Json {
    return this.objects.get(`${kind}/${name}`)
  }

  /** Creates or replaces an object with a new resourceVersion, and returns it. */
  put(kind: KindName, object: Json): Json {
    const key = `${kind}/${object.metadata.name}`
    const exists = this.objects.has(key)
    const stored = { ...object, kind, metadata: { ...object.metadata, resourceVersion: String(++this.revision) } }
    this.objects.set(key, stored)
    this.pendingEvents.push({ kind, event: { type: exists ? "MODIFIED" : "ADDED", object: stored } })
    return stored
  }

  remove(kind: KindName, name: string): void {
    const object = this.find(kind, name)
    this.objects.delete(`${kind}/${name}`)
    if (object !== undefined) this.pendingEvents.push({ kind, event: { type: "DELETED", object } })
  }

  /** Starts or restarts a controller, without its old state, after all objects are in its caches. */
  start<A>(
    controller: Effect.Effect<A, never, Cluster | Timers | ControllerInformers | Scope.Scope>,
    observer: Partial<NodeControllerObserver> = {}
  ): A {
    if (this.scope !== undefined) this.run(Scope.close(this.scope, Exit.void))
    this.watchers.length = 0
    this.pendingEvents = []
    const scope = this.run(Scope.make())
    this.scope = scope
    const cluster = Cluster.layerConnection(this.connection)
    const informers = ControllerInformers.layer.pipe(Layer.provideMerge(cluster))
    const program = Effect.gen(function* () {
      const context = yield* Layer.buildWithScope(informers, scope)
      return yield* controller.pipe(Effect.provideContext(context), Scope.provide(scope))
    }).pipe(Effect.provideService(Observer, { ...noObserver, ...observer }))
    const built = this.run(program)
    this.settle()
    return built
  }

  /** Runs an effect in virtual time, and throws its failure. */
  run<A>(effect: Effect.Effect<A, never, Timers>): A {
    // Failures that a case causes are not logged.
    const exit = this.time.run(Effect.provideService(effect, References.MinimumLogLevel, "None"))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }

  /** Advances to a time, then delivers the held-back changes to the caches. */
  advance(seconds: number): void {
    this.settle()
    this.time.runUntil(millisecondsOf(seconds))
  }

  /** Delivers the held-back changes, and runs their consequences. */
  settle(): void {
    do {
      const pendingEvents = this.pendingEvents.splice(0)
      for (const { event, kind } of pendingEvents) {
        for (const watcher of this.watchers) if (watcher.kind === kind) watcher.sink.events([event])
      }
      this.time.runUntil(this.time.timers.now())
    } while (this.pendingEvents.length > 0)
  }

  private readonly connection: Connection = {
    send: cancellable((request, reply) => reply(this.intercept(request) ?? this.answer(request))),
    watch: ({ kind }, sink) => {
      this.watchers.push({ kind: kind as KindName, sink })
      return () => undefined
    }
  }

  private answer(request: ApiRequest): Answer {
    const kind = request.kind as KindName
    if (request.verb === "list") {
      const items = this.all(kind)
      return Result.succeed({ metadata: { resourceVersion: String(this.revision) }, items })
    }
    if (request.verb === "create") {
      this.recordEvent(request.object)
      return Result.succeed(this.put(kind, request.object))
    }
    if (request.verb === "deletecollection") return Result.fail(apiError(405, "MethodNotAllowed"))
    const before = this.find(kind, request.name)
    if (before === undefined) return Result.fail(apiError(404, "NotFound"))
    if (request.verb === "get") return Result.succeed(before)
    if (request.verb === "delete") {
      return Result.succeed(
        this.put(kind, { ...before, metadata: { ...before.metadata, deletionTimestamp: toWire(this.seconds) } })
      )
    }
    if (request.verb === "patch" && kind === "Pod" && (request.body as Json).metadata?.uid !== before.metadata.uid) {
      // Every controller sends the UID precondition, which protects a new pod with the same name.
      return Result.fail(apiError(409, "Conflict"))
    }
    const after: Json = request.verb === "update" ? request.object : this.applyPatch(before, request.body)
    const expected = (request.verb === "update" ? after : (request.body as Json)).metadata?.resourceVersion
    if (expected !== undefined && expected !== before.metadata.resourceVersion)
      return Result.fail(apiError(409, "Conflict"))
    if (request.kind === "Event") this.recordEvent(after)
    return Result.succeed(this.put(kind, restoreFractions(before, after, this.time.timers.now())))
  }

  /** Returns the object after a strategic merge patch. */
  applyPatch(before: KubeObject, body: Json): Json {
    return Result.getOrThrow(applyStrategicPatch(before.kind as KindName, before as Json, body))
  }

  private recordEvent(event: Json): void {
    if (event?.involvedObject !== undefined) this.recordedEvents.push({ at: this.seconds, ...event })
  }
}
