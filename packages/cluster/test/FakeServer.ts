import {
  formatTime,
  type KindName,
  type KubeObject,
  matchesLabelSelector,
  type ObjectOf,
  parseLabelSelector,
  resourceOf,
  type Status
} from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  type Connection,
  ConnectionError,
  cancellable,
  type WatchEvent,
  type WatchRequest,
  type WatchSink
} from "../src/index.ts"

interface Change {
  readonly revision: number
  readonly kind: KindName
  readonly before: KubeObject | undefined
  readonly after: KubeObject | undefined
}

interface Watcher {
  readonly request: WatchRequest
  readonly sink: WatchSink
  sent: number
  planned: boolean
  open: boolean
}

interface Selection {
  readonly kind: string
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

const statusOf = (code: number, reason: string, message: string): Status => ({
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  code,
  reason,
  message
})

const refusal = (code: number, reason: string): ApiError => new ApiError({ status: statusOf(code, reason, reason) })

const matches = ({ fieldSelector, labelSelector, namespace }: Selection, { metadata }: KubeObject): boolean => {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${metadata.name}`) return false
  if (labelSelector === undefined) return true
  return matchesLabelSelector(Result.getOrThrow(parseLabelSelector(labelSelector)), metadata.labels ?? {})
}

const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {}
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}

/** Just enough of an API server to hold clients to: objects by revision, watches from a revision, and faults at will. */
export class FakeServer {
  private readonly timers: TimersShape
  private readonly objects = new Map<string, KubeObject>()
  private readonly changes: Array<Change> = []
  private readonly watchers = new Set<Watcher>()
  private revision = 0
  private forgotten = 0
  private uids = 0
  /** True: nothing gets through. */
  isCut = false
  readonly requests: Array<ApiRequest | WatchRequest> = []

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  readonly connection: Connection = {
    send: cancellable((request, reply) => {
      this.requests.push(request)
      reply(this.isCut ? Result.fail(new ConnectionError({ message: "cut" })) : this.answer(request))
    }),
    watch: (request, sink) => {
      this.requests.push(request)
      return this.watch(request, sink)
    }
  }

  /** Cuts the line: watches break, and nothing gets through until `heal`. */
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

  /** Forgets all history: watches from an earlier revision are refused. */
  forget(): void {
    this.forgotten = this.revision
  }

  all<K extends KindName>(kind: K): Array<ObjectOf<K>> {
    return this.select({ kind }) as Array<ObjectOf<K>>
  }

  put(kind: KindName, object: KubeObject): KubeObject {
    const key = this.keyOf(kind, object.metadata.namespace, object.metadata.name ?? "")
    const before = this.objects.get(key)
    const after = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision + 1) } }
    this.objects.set(key, after)
    this.record({ revision: ++this.revision, kind, before, after })
    return after
  }

  remove(kind: KindName, key: string): void {
    const before = this.objects.get(key)
    if (before === undefined) return
    this.objects.delete(key)
    this.record({ revision: ++this.revision, kind, before, after: undefined })
  }

  private keyOf(kind: KindName, namespace: string | undefined, name: string): string {
    return `${kind}/${namespace ?? ""}/${name}`
  }

  private select(selection: Selection): Array<KubeObject> {
    return [...this.objects]
      .filter(([key, object]) => key.startsWith(`${selection.kind}/`) && matches(selection, object))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([, object]) => object)
  }

  private answer(request: ApiRequest): Answer {
    const { namespace } = request
    const kind = request.kind as KindName
    if (request.verb === "list") {
      const items = this.select(request)
      return Result.succeed({
        apiVersion: "v1",
        kind: `${kind}List`,
        metadata: { resourceVersion: String(this.revision) },
        items
      })
    }
    if (request.verb === "create") {
      const object = request.object as KubeObject
      const name = object.metadata.name ?? `${object.metadata.generateName}${this.uids}`
      if (this.objects.has(this.keyOf(kind, namespace, name))) return Result.fail(refusal(409, "AlreadyExists"))
      const metadata = {
        ...object.metadata,
        ...(resourceOf(kind).namespaced ? { namespace: namespace ?? "" } : {}),
        name,
        uid: `uid-${this.uids++}`,
        creationTimestamp: formatTime(this.timers.now())
      }
      return Result.succeed(this.put(kind, { ...object, metadata }))
    }
    if (request.verb === "deletecollection") return Result.fail(refusal(405, "MethodNotAllowed"))
    const key = this.keyOf(kind, namespace, request.name)
    const current = this.objects.get(key)
    if (current === undefined) return Result.fail(refusal(404, "NotFound"))
    if (request.verb === "get") return Result.succeed(current)
    if (request.verb === "delete") {
      const uid = request.options?.preconditions?.uid
      if (uid !== undefined && uid !== current.metadata.uid) return Result.fail(refusal(409, "Conflict"))
      if ((current.metadata.finalizers ?? []).length > 0) {
        const deletionTimestamp = formatTime(this.timers.now())
        return Result.succeed(this.put(kind, { ...current, metadata: { ...current.metadata, deletionTimestamp } }))
      }
      this.remove(kind, key)
      return Result.succeed({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Success" })
    }
    const given = (request.verb === "patch" ? mergePatch(current, request.body) : request.object) as KubeObject
    const asked = given.metadata.resourceVersion
    if (asked !== undefined && asked !== current.metadata.resourceVersion) return Result.fail(refusal(409, "Conflict"))
    const wanted =
      request.subresource === "status"
        ? ({ ...current, status: (given as { readonly status?: unknown }).status } as KubeObject)
        : ({ ...given, metadata: { ...given.metadata, ...preserved(current) } } as KubeObject)
    if (wanted.metadata.deletionTimestamp !== undefined && (wanted.metadata.finalizers ?? []).length === 0) {
      this.remove(kind, key)
      return Result.succeed(wanted)
    }
    return Result.succeed(this.put(kind, wanted))
  }

  private watch(request: WatchRequest, sink: WatchSink): () => void {
    const fromNow = request.resourceVersion === undefined || request.resourceVersion === "0"
    const watcher: Watcher = {
      request,
      sink,
      sent: fromNow ? this.revision : Number(request.resourceVersion),
      planned: false,
      open: true
    }
    this.watchers.add(watcher)
    const initial = fromNow ? this.select(request).map((object): WatchEvent => ({ type: "ADDED", object })) : []
    this.timers.soon(() => {
      if (!watcher.open) return
      if (this.isCut) this.end(watcher, new ConnectionError({ message: "cut" }))
      else if (watcher.sent < this.forgotten) this.end(watcher, refusal(410, "Expired"))
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
      if (watcher.planned) continue
      watcher.planned = true
      this.timers.soon(() => {
        watcher.planned = false
        this.deliver(watcher)
      })
    }
  }

  private deliver(watcher: Watcher): void {
    if (!watcher.open) return
    const { request } = watcher
    const events: Array<WatchEvent> = []
    for (const { after, before, kind, revision } of this.changes) {
      if (revision <= watcher.sent || kind !== request.kind) continue
      const was = before !== undefined && matches(request, before)
      if (after !== undefined && matches(request, after))
        events.push({ type: was ? "MODIFIED" : "ADDED", object: after })
      else if (was) {
        const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } }
        events.push({ type: "DELETED", object })
      }
    }
    watcher.sent = this.revision
    if (events.length > 0) watcher.sink.events(events)
  }

  private end(watcher: Watcher, error: ApiError | ConnectionError | undefined): void {
    if (!watcher.open) return
    watcher.open = false
    this.watchers.delete(watcher)
    this.timers.soon(() => watcher.sink.end(error))
  }
}

/** What no client can change. */
const preserved = ({ metadata: { creationTimestamp, deletionTimestamp, uid } }: KubeObject) => ({
  ...(uid === undefined ? {} : { uid }),
  ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
  ...(deletionTimestamp === undefined ? {} : { deletionTimestamp })
})
