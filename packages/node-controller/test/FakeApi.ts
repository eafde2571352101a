import {
  formatTime,
  type KindName,
  type KubeObject,
  type Node,
  type ObjectOf,
  type Pod,
  type Status
} from "@rollcall/api"
import { applyStrategicPatch, type Json } from "@rollcall/api/patch"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  type Connection,
  cancellable,
  type WatchEvent,
  type WatchSink
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

export interface Noted {
  readonly at: number
  readonly request: ApiRequest
  readonly code: number
}

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

interface Watcher {
  readonly kind: KindName
  readonly sink: WatchSink
  pending: Array<WatchEvent>
}

/** Just enough of an API server for these controllers: revisions, conflicts, strategic patches, watches a moment later. */
export class FakeApi {
  readonly noted: Array<Noted> = []
  readonly events: Array<{
    readonly at: number
    readonly reason: string
    readonly about: string
    readonly message: string
  }> = []
  private readonly timers: TimersShape
  private readonly objects = new Map<string, Map<string, KubeObject>>()
  private readonly watchers = new Set<Watcher>()
  /** How long watches are behind. */
  watchLagMs = 0
  private revision = 0
  /** Looks at each request first; an answer given here stands. */
  intercept: (request: ApiRequest) => Answer | undefined = () => undefined

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  readonly connection: Connection = {
    send: cancellable((request, reply) => {
      const answer = this.intercept(request) ?? this.answer(request)
      const code = Result.isSuccess(answer) ? 200 : answer.failure._tag === "ApiError" ? answer.failure.code : 0
      if (request.kind !== "Event") this.noted.push({ at: this.timers.now(), request, code })
      // In a turn of its own, as over a network: callers that share a client advance side by side.
      this.timers.soon(() => reply(answer))
    }),
    watch: ({ kind }, sink) => {
      const watcher: Watcher = { kind: kind as KindName, sink, pending: [] }
      this.watchers.add(watcher)
      return () => this.watchers.delete(watcher)
    }
  }

  all<K extends KindName>(kind: K): Array<ObjectOf<K>> {
    return [...(this.objects.get(kind)?.values() ?? [])] as Array<ObjectOf<K>>
  }

  find<K extends KindName>(kind: K, name: string): ObjectOf<K> | undefined {
    return this.objects.get(kind)?.get(name) as ObjectOf<K> | undefined
  }

  node(name: string): Node {
    return this.find("Node", name) as Node
  }

  pod(name: string): Pod | undefined {
    return this.find("Pod", name)
  }

  put(kind: KindName, object: KubeObject): KubeObject {
    let kept = this.objects.get(kind)
    if (kept === undefined) {
      kept = new Map()
      this.objects.set(kind, kept)
    }
    const name = object.metadata.name ?? ""
    const type = kept.has(name) ? "MODIFIED" : "ADDED"
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.revision) } }
    kept.set(name, stored)
    this.publish(kind, { type, object: stored })
    return stored
  }

  remove(kind: KindName, name: string): void {
    const object = this.objects.get(kind)?.get(name)
    if (object === undefined) return
    this.objects.get(kind)?.delete(name)
    this.publish(kind, { type: "DELETED", object })
  }

  private publish(kind: KindName, event: WatchEvent): void {
    for (const watcher of this.watchers) {
      if (watcher.kind !== kind) continue
      watcher.pending.push(event)
      if (watcher.pending.length > 1) continue
      this.timers.after(this.watchLagMs, () => {
        const batch = watcher.pending
        watcher.pending = []
        if (this.watchers.has(watcher)) watcher.sink.events(batch)
      })
    }
  }

  private answer(request: ApiRequest): Answer {
    const kind = request.kind as KindName
    if (request.verb === "list") {
      const node = /^spec\.nodeName=(.*)$/.exec(request.fieldSelector ?? "")?.[1]
      const items = this.all(kind).filter((object) => node === undefined || (object as Pod).spec.nodeName === node)
      return Result.succeed({ metadata: { resourceVersion: String(this.revision) }, items })
    }
    if (request.kind === "Event") return this.tell(request)
    if (request.verb === "create" || request.verb === "deletecollection")
      return Result.fail(refusal(405, "MethodNotAllowed"))
    const before = this.find(kind, request.name)
    if (before === undefined) return Result.fail(refusal(404, "NotFound"))
    if (request.verb === "get") return Result.succeed(before)
    if (request.verb === "delete") {
      if (request.options?.gracePeriodSeconds === 0) this.remove(kind, request.name)
      else {
        const deletionTimestamp = formatTime(this.timers.now() + 30_000)
        const metadata = { ...before.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 }
        this.put(kind, { ...before, metadata })
      }
      return Result.succeed(before)
    }
    const after =
      request.verb === "update"
        ? (request.object as KubeObject)
        : (Result.getOrThrow(
            applyStrategicPatch(kind, before as unknown as Json, request.body as Json)
          ) as unknown as KubeObject)
    const expected = (request.verb === "update" ? after : (request.body as Partial<KubeObject>)).metadata
      ?.resourceVersion
    if (expected !== undefined && expected !== before.metadata.resourceVersion)
      return Result.fail(refusal(409, "Conflict"))
    return Result.succeed(this.put(kind, after))
  }

  private tell(request: ApiRequest): Answer {
    if (request.verb !== "create") return Result.fail(refusal(404, "NotFound"))
    const event = request.object as ObjectOf<"Event">
    const { involvedObject, message = "", reason = "" } = event
    this.events.push({ at: this.timers.now(), reason, about: involvedObject.name ?? "", message })
    return Result.succeed(event)
  }
}
