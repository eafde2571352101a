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

/** Second 0 of a vector. */
const ORIGIN_MS = 1_767_225_600_000

export const millisecondsOf = (seconds: number): number => ORIGIN_MS + seconds * 1000

/** Returns a wire time; keeps the fraction of a second, which vectors have but the wire format does not. */
export const toWire = (seconds: number): string =>
  Number.isInteger(seconds) ? formatTime(millisecondsOf(seconds)) : formatMicroTime(millisecondsOf(seconds))

export const fromWire = (text: string): number => (parseTime(text) - ORIGIN_MS) / 1000

const refusal = (code: number, reason: string): ApiError => {
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

const identity = (item: Json): string | undefined =>
  typeof item !== "object" || item === null ? undefined : (item.type ?? (item.key && `${item.key}:${item.effect}`))

/** Restores the fraction that a time written now lost in the wire format. */
const refine = (before: Json, after: Json, now: number): Json => {
  if (after === formatTime(now) && before !== after && now % 1000 !== 0) return formatMicroTime(now)
  if (Array.isArray(after)) {
    return after.map((item, index) => {
      const name = identity(item)
      const twin = name === undefined ? before?.[index] : before?.find?.((other: Json) => identity(other) === name)
      return refine(twin, item, now)
    })
  }
  if (typeof after !== "object" || after === null) return after
  return Object.fromEntries(Object.entries(after).map(([key, value]) => [key, refine(before?.[key], value, now)]))
}

/**
 * The environment of one vector: virtual time and a small API, whose changes reach the controllers' caches after the step that made them
 * ends.
 */
export class Stage {
  readonly time: VirtualTime = makeVirtualTime(ORIGIN_MS)
  private readonly objects = new Map<string, Json>()
  private readonly watchers: Array<{ readonly kind: KindName; readonly sink: WatchSink }> = []
  private held: Array<{ readonly kind: KindName; readonly event: WatchEvent }> = []
  private revision = 0
  private scope: Scope.Closeable | undefined
  /** Intercepts requests; a response returned here is used. */
  intercept: (request: ApiRequest) => Answer | undefined = () => undefined
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

  put(kind: KindName, object: Json): Json {
    const key = `${kind}/${object.metadata.name}`
    const present = this.objects.has(key)
    const stored = { ...object, kind, metadata: { ...object.metadata, resourceVersion: String(++this.revision) } }
    this.objects.set(key, stored)
    this.held.push({ kind, event: { type: present ? "MODIFIED" : "ADDED", object: stored } })
    return stored
  }

  remove(kind: KindName, name: string): void {
    const object = this.find(kind, name)
    this.objects.delete(`${kind}/${name}`)
    if (object !== undefined) this.held.push({ kind, event: { type: "DELETED", object } })
  }

  /** Starts or restarts a controller, without its old state, after all objects are in its caches. */
  start<A>(
    controller: Effect.Effect<A, never, Cluster | Timers | ControllerInformers | Scope.Scope>,
    observer: Partial<NodeControllerObserver> = {}
  ): A {
    if (this.scope !== undefined) this.run(Scope.close(this.scope, Exit.void))
    this.watchers.length = 0
    this.held = []
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
      const held = this.held.splice(0)
      for (const { event, kind } of held) {
        for (const watcher of this.watchers) if (watcher.kind === kind) watcher.sink.events([event])
      }
      this.time.runUntil(this.time.timers.now())
    } while (this.held.length > 0)
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
      this.tell(request.object)
      return Result.succeed(this.put(kind, request.object))
    }
    if (request.verb === "deletecollection") return Result.fail(refusal(405, "MethodNotAllowed"))
    const before = this.find(kind, request.name)
    if (before === undefined) return Result.fail(refusal(404, "NotFound"))
    if (request.verb === "get") return Result.succeed(before)
    if (request.verb === "delete") {
      return Result.succeed(
        this.put(kind, { ...before, metadata: { ...before.metadata, deletionTimestamp: toWire(this.seconds) } })
      )
    }
    if (request.verb === "patch" && kind === "Pod" && (request.body as Json).metadata?.uid !== before.metadata.uid) {
      // Every controller sends the UID precondition, which protects a new pod with the same name.
      return Result.fail(refusal(409, "Conflict"))
    }
    const after: Json = request.verb === "update" ? request.object : this.patched(before, request.body)
    const expected = (request.verb === "update" ? after : (request.body as Json)).metadata?.resourceVersion
    if (expected !== undefined && expected !== before.metadata.resourceVersion)
      return Result.fail(refusal(409, "Conflict"))
    if (request.kind === "Event") this.tell(after)
    return Result.succeed(this.put(kind, refine(before, after, this.time.timers.now())))
  }

  /** The object as a strategic merge patch makes it. */
  patched(before: KubeObject, body: Json): Json {
    return Result.getOrThrow(applyStrategicPatch(before.kind as KindName, before as Json, body))
  }

  private tell(event: Json): void {
    if (event?.involvedObject !== undefined) this.recordedEvents.push({ at: this.seconds, ...event })
  }
}
