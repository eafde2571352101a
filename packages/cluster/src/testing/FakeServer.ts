import { formatTime, type KindName, type KubeObject, type ObjectOf, resourceOf, sortedEntries } from "@rollcall/api"
import { applyMergePatch, applyStrategicPatch } from "@rollcall/api/patch"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type ApiError, ConnectionError } from "../ClusterError.ts"
import type {
  Answer,
  ApiRequest,
  Connection,
  DeleteRequest,
  PatchRequest,
  UpdateRequest,
  WatchEvent,
  WatchRequest,
  WatchSink
} from "../Connection.ts"
import { cancellable } from "../cancellable.ts"
import { graceSecondsOf, isGone, preserved } from "./lifecycle.ts"
import { matches, type Selection } from "./matches.ts"
import { refusal, refused } from "./refusal.ts"

interface Change {
  readonly kind: KindName
  readonly before: KubeObject | undefined
  readonly after: KubeObject | undefined
}

interface Watcher {
  readonly request: WatchRequest
  readonly sink: WatchSink
  deliveredRevision: number
  isScheduled: boolean
  open: boolean
}

/** A request and the HTTP code of its answer: 200, the code of the error, or 0 if the server did not answer. */
export interface Answered {
  readonly atMs: number
  readonly request: ApiRequest
  readonly code: number
}

export interface FakeServerOptions {
  /** Whether to answer after other work of the same instant, as over a network, so that several clients alternate. */
  readonly answersLater?: boolean
}

const codeOf = (answer: Answer): number => {
  if (Result.isSuccess(answer)) return 200
  return answer.failure._tag === "ApiError" ? answer.failure.code : 0
}

/**
 * A small API server in memory for tests of packages that the real one (`@rollcall/api-server`) depends on, and of
 * controllers whose every write a test times: objects by revision, watches from a revision, and faults on demand. It
 * neither validates nor defaults, and has no admission and no namespaces to create.
 */
export class FakeServer {
  protected readonly timers: TimersShape
  private readonly answersLater: boolean
  private readonly objects = new Map<KindName, Map<string, KubeObject>>()
  /** The changes by revision: that of revision n has index n - 1. */
  private readonly changes: Array<Change> = []
  private readonly watchers = new Set<Watcher>()
  private oldestRevision = 0
  private uids = 0
  /** Whether all requests and watches fail, as if the network were cut. */
  isCut = false
  /** The delay with which watches receive events, in milliseconds. */
  watchLagMs = 0
  /** Called with each request; an answer that it returns is sent in place of the server's. */
  intercept: (request: ApiRequest) => Answer | undefined = () => undefined
  readonly requests: Array<ApiRequest | WatchRequest> = []
  readonly answered: Array<Answered> = []

  constructor(timers: TimersShape, { answersLater = false }: FakeServerOptions = {}) {
    this.timers = timers
    this.answersLater = answersLater
  }

  readonly connection: Connection = {
    send: cancellable((request, reply) => {
      this.requests.push(request)
      const answer = this.isCut
        ? Result.fail(new ConnectionError({ message: "cut" }))
        : (this.intercept(request) ?? this.answer(request))
      this.answered.push({ atMs: this.timers.now(), request, code: codeOf(answer) })
      if (this.answersLater) this.timers.soon(() => reply(answer))
      else reply(answer)
    }),
    watch: (request, sink) => {
      this.requests.push(request)
      return this.watch(request, sink)
    }
  }

  /** Cuts the network: watches break, and all requests fail until `heal`. */
  cut(): void {
    this.isCut = true
    for (const watcher of this.watchers) this.end(watcher, new ConnectionError({ message: "cut" }))
  }

  heal(): void {
    this.isCut = false
  }

  /** Closes all watches, as servers do from time to time. */
  closeWatches(): void {
    for (const watcher of this.watchers) this.end(watcher, undefined)
  }

  /** Discards all history: watches from an earlier revision are refused. */
  forget(): void {
    this.oldestRevision = this.revision
  }

  all<K extends KindName>(kind: K): Array<ObjectOf<K>> {
    return this.select({ kind }) as Array<ObjectOf<K>>
  }

  find<K extends KindName>(kind: K, name: string, namespace?: string): ObjectOf<K> | undefined {
    return this.objects.get(kind)?.get(this.keyOf(namespace, name)) as ObjectOf<K> | undefined
  }

  put(kind: KindName, object: KubeObject): KubeObject {
    const key = this.keyOf(object.metadata.namespace, object.metadata.name)
    const kept = this.objects.get(kind) ?? new Map<string, KubeObject>()
    this.objects.set(kind, kept)
    const before = kept.get(key)
    const after = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision + 1) } }
    kept.set(key, after)
    this.record({ kind, before, after })
    return after
  }

  remove(kind: KindName, name: string, namespace?: string): void {
    const before = this.find(kind, name, namespace)
    if (before === undefined) return
    this.objects.get(kind)?.delete(this.keyOf(namespace, name))
    this.record({ kind, before, after: undefined })
  }

  private get revision(): number {
    return this.changes.length
  }

  private keyOf(namespace = "", name = ""): string {
    return `${namespace}/${name}`
  }

  private select(selection: Selection): Array<KubeObject> {
    return sortedEntries(this.objects.get(selection.kind as KindName))
      .map(([, object]) => object)
      .filter((object) => matches(selection, object))
  }

  /** The answer of the server itself. */
  protected answer(request: ApiRequest): Answer {
    const kind = request.kind as KindName
    if (request.verb === "list") {
      const metadata = { resourceVersion: String(this.revision) }
      return Result.succeed({ apiVersion: "v1", kind: `${kind}List`, metadata, items: this.select(request) })
    }
    if (request.verb === "create") return this.create(kind, request.namespace, request.object as KubeObject)
    if (request.verb === "deletecollection") return refused(405, "MethodNotAllowed")
    const current = this.find(kind, request.name, request.namespace)
    if (current === undefined) return refused(404, "NotFound")
    if (request.verb === "get") return Result.succeed(current)
    return request.verb === "delete" ? this.delete(kind, current, request) : this.change(kind, current, request)
  }

  private create(kind: KindName, namespace: string | undefined, object: KubeObject): Answer {
    const name = object.metadata.name ?? `${object.metadata.generateName}${this.uids}`
    if (this.find(kind, name, namespace) !== undefined) return refused(409, "AlreadyExists")
    const metadata = {
      ...object.metadata,
      ...(resourceOf(kind).namespaced ? { namespace: namespace ?? "" } : {}),
      name,
      uid: `uid-${this.uids++}`,
      creationTimestamp: formatTime(this.timers.now())
    }
    return Result.succeed(this.put(kind, { ...object, metadata }))
  }

  private delete(kind: KindName, current: KubeObject, request: DeleteRequest): Answer {
    const uid = request.options?.preconditions?.uid
    if (uid !== undefined && uid !== current.metadata.uid) return refused(409, "Conflict")
    const deletionGracePeriodSeconds = graceSecondsOf(kind, current, request)
    const deletionTimestamp = formatTime(this.timers.now() + deletionGracePeriodSeconds * 1000)
    return Result.succeed(
      this.store(kind, { ...current, metadata: { ...current.metadata, deletionTimestamp, deletionGracePeriodSeconds } })
    )
  }

  private change(kind: KindName, current: KubeObject, request: UpdateRequest | PatchRequest): Answer {
    const given = request.verb === "patch" ? this.applyPatch(kind, current, request) : (request.object as KubeObject)
    const { resourceVersion } = given.metadata
    if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion)
      return refused(409, "Conflict")
    const wanted =
      request.subresource === "status"
        ? ({ ...current, status: (given as { readonly status?: unknown }).status } as KubeObject)
        : { ...given, metadata: { ...given.metadata, ...preserved(current) } }
    return Result.succeed(this.store(kind, wanted))
  }

  private applyPatch(kind: KindName, current: KubeObject, { body, patchType }: PatchRequest): KubeObject {
    const patched = patchType === "merge" ? applyMergePatch(current, body) : applyStrategicPatch(kind, current, body)
    return Result.getOrThrow(patched) as unknown as KubeObject
  }

  /** Keeps an object, or removes it if it is deleted and nothing keeps it. */
  private store(kind: KindName, object: KubeObject): KubeObject {
    if (!isGone(object)) return this.put(kind, object)
    this.remove(kind, object.metadata.name ?? "", object.metadata.namespace)
    return object
  }

  private watch(request: WatchRequest, sink: WatchSink): () => void {
    const fromNow = request.resourceVersion === undefined || request.resourceVersion === "0"
    const watcher: Watcher = {
      request,
      sink,
      deliveredRevision: fromNow ? this.revision : Number(request.resourceVersion),
      isScheduled: false,
      open: true
    }
    this.watchers.add(watcher)
    const initial = fromNow ? this.select(request).map((object): WatchEvent => ({ type: "ADDED", object })) : []
    this.timers.soon(() => {
      if (!watcher.open) return
      if (this.isCut) this.end(watcher, new ConnectionError({ message: "cut" }))
      else if (watcher.deliveredRevision < this.oldestRevision) this.end(watcher, refusal(410, "Expired"))
      else {
        if (initial.length > 0) sink.events(initial)
        this.deliver(watcher)
      }
    })
    return () => {
      watcher.open = false
      this.watchers.delete(watcher)
    }
  }

  private record(change: Change): void {
    this.changes.push(change)
    for (const watcher of this.watchers) {
      if (watcher.isScheduled || watcher.request.kind !== change.kind) continue
      watcher.isScheduled = true
      const deliver = () => {
        watcher.isScheduled = false
        this.deliver(watcher)
      }
      if (this.watchLagMs === 0) this.timers.soon(deliver)
      else this.timers.after(this.watchLagMs, deliver)
    }
  }

  private deliver(watcher: Watcher): void {
    if (!watcher.open) return
    const { request, deliveredRevision } = watcher
    const events: Array<WatchEvent> = []
    for (const [index, { after, before, kind }] of this.changes.slice(deliveredRevision).entries()) {
      if (kind !== request.kind) continue
      const was = before !== undefined && matches(request, before)
      if (after !== undefined && matches(request, after))
        events.push({ type: was ? "MODIFIED" : "ADDED", object: after })
      else if (was) {
        const metadata = { ...before.metadata, resourceVersion: String(deliveredRevision + index + 1) }
        events.push({ type: "DELETED", object: { ...before, metadata } })
      }
    }
    watcher.deliveredRevision = this.revision
    if (events.length > 0) watcher.sink.events(events)
  }

  private end(watcher: Watcher, error: ApiError | ConnectionError | undefined): void {
    if (!watcher.open) return
    watcher.open = false
    this.watchers.delete(watcher)
    this.timers.soon(() => watcher.sink.end(error))
  }
}
