import { formatTime, type KindName, type KubeObject, type Lease, type Node, type Pod } from "@rollcall/api"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  type Connection,
  ConnectionError,
  type WatchEvent,
  type WatchSink
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

type Fields = Record<string, unknown>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A strategic merge as far as kubelets use it: conditions by type, `$patch: replace`, null removes. */
const merge = (held: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch
  const out: Fields = isRecord(held) ? { ...held } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key]
    else if (key === "conditions" && Array.isArray(value)) {
      const list = [...((out[key] as ReadonlyArray<Fields> | undefined) ?? [])]
      for (const item of value as ReadonlyArray<Fields>) {
        const index = list.findIndex(({ type }) => type === item.type)
        if (index < 0) list.push(item)
        else list[index] = merge(list[index], item) as Fields
      }
      out[key] = list
    } else if (Array.isArray(value)) out[key] = value.filter((item) => !(isRecord(item) && item.$patch === "replace"))
    else out[key] = merge(out[key], value)
  }
  return out
}

const failure = (reason: string, code: number): Answer =>
  Result.fail(
    new ApiError({ status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", reason, code } })
  )

type ObjectEvent = Extract<WatchEvent, { readonly type: "ADDED" | "MODIFIED" | "DELETED" }>

interface Watcher {
  readonly kind: KindName
  readonly matches: (object: KubeObject) => boolean
  readonly sink: WatchSink
  over: boolean
}

/** Just enough of an API server, in memory and synchronous, with a record of what was asked. */
export class TestApi {
  readonly requests: Array<{ readonly at: number; readonly request: ApiRequest }> = []
  /** Answers instead of the server while it returns something. */
  refuse: (request: ApiRequest) => Answer | undefined = () => undefined
  private readonly objects = new Map<string, KubeObject>()
  private readonly watchers = new Set<Watcher>()
  private readonly history: Array<{ readonly kind: KindName; readonly revision: number; readonly event: ObjectEvent }> =
    []
  private readonly timers: TimersShape
  private revision = 0
  private uids = 0

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  node(name: string): Node | undefined {
    return this.objects.get(`Node//${name}`) as Node | undefined
  }
  lease(name: string): Lease | undefined {
    return this.objects.get(`Lease/kube-node-lease/${name}`) as Lease | undefined
  }
  pod(name: string): Pod | undefined {
    return this.objects.get(`Pod/default/${name}`) as Pod | undefined
  }

  /** Requests of a verb and kind (and subresource), as `patch Node/status`. */
  asked(what: string): ReadonlyArray<{ readonly at: number; readonly request: ApiRequest }> {
    return this.requests.filter(({ request }) => {
      const subresource = "subresource" in request && request.subresource !== undefined ? `/${request.subresource}` : ""
      return `${request.verb} ${request.kind}${subresource}` === what
    })
  }

  /** Writes past the API, as another component would have. */
  write(kind: KindName, object: KubeObject): KubeObject {
    return this.put(kind, object)
  }

  createPod(name: string, nodeName: string, spec: Partial<Pod["spec"]> = {}): Pod {
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        containers: [{ name: "c", image: "pause" }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        nodeName,
        ...spec
      },
      status: { phase: "Pending", qosClass: "BestEffort" }
    }
    return this.put("Pod", pod) as Pod
  }

  ask(request: ApiRequest): unknown {
    let out: unknown
    this.connection.send(request, (answer) => {
      out = Result.isSuccess(answer) ? answer.success : answer.failure
    })
    return out
  }

  readonly connection: Connection = {
    send: (request, reply) => {
      this.requests.push({ at: this.timers.now(), request })
      reply(this.refuse(request) ?? this.answer(request))
    },
    watch: (request, sink) => {
      const selector = request.fieldSelector?.split("=") ?? []
      const watcher: Watcher = { kind: request.kind, matches: matcher(selector), sink, over: false }
      this.watchers.add(watcher)
      const after = Number(request.resourceVersion)
      for (const { event, kind, revision } of this.history) {
        if (kind === request.kind && revision > after) this.offer(watcher, event)
      }
      return () => {
        watcher.over = true
        this.watchers.delete(watcher)
      }
    }
  }

  private answer(request: ApiRequest): Answer {
    if (request.verb === "list") {
      const items = [...this.objects.entries()]
        .filter(([key]) => key.startsWith(`${request.kind}/`))
        .map(([, object]) => object)
        .filter(matcher(request.fieldSelector?.split("=") ?? []))
      return Result.succeed({ metadata: { resourceVersion: String(this.revision) }, items })
    }
    if (request.verb === "create") {
      const object = request.object as KubeObject
      if (this.objects.has(keyOf(request.kind, object.metadata.namespace, object.metadata.name))) {
        return failure("AlreadyExists", 409)
      }
      return Result.succeed(this.put(request.kind, object))
    }
    if (request.verb === "deletecollection") return failure("MethodNotAllowed", 405)
    const key = keyOf(request.kind, request.namespace, request.name)
    const held = this.objects.get(key)
    if (held === undefined) return failure("NotFound", 404)
    if (request.verb === "get") return Result.succeed(held)
    if (request.verb === "update") {
      const object = request.object as KubeObject
      const { resourceVersion } = object.metadata
      if (resourceVersion !== undefined && resourceVersion !== held.metadata.resourceVersion)
        return failure("Conflict", 409)
      return Result.succeed(this.put(request.kind, object))
    }
    if (request.verb === "patch") {
      const body = request.body as { readonly metadata?: { readonly uid?: string } }
      if (body.metadata?.uid !== undefined && body.metadata.uid !== held.metadata.uid) return failure("Conflict", 409)
      return Result.succeed(this.put(request.kind, merge(held, body) as KubeObject))
    }
    const { gracePeriodSeconds, preconditions } = request.options ?? {}
    if (preconditions?.uid !== undefined && preconditions.uid !== held.metadata.uid) return failure("Conflict", 409)
    const grace =
      gracePeriodSeconds ?? (held.kind === "Pod" ? ((held as Pod).spec.terminationGracePeriodSeconds ?? 30) : 0)
    if (grace > 0 && held.metadata.deletionTimestamp === undefined) {
      const deletionTimestamp = formatTime(this.timers.now() + grace * 1000)
      const metadata = { ...held.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace }
      return Result.succeed(this.put(request.kind, { ...held, metadata }))
    }
    this.objects.delete(key)
    const object = { ...held, metadata: { ...held.metadata, resourceVersion: String(++this.revision) } }
    this.tell(request.kind, { type: "DELETED", object })
    return Result.succeed(object)
  }

  private put(kind: KindName, object: KubeObject): KubeObject {
    const { name, namespace } = object.metadata
    const key = keyOf(kind, namespace, name)
    const held = this.objects.get(key)
    const uid = held?.metadata.uid ?? object.metadata.uid ?? `uid-${++this.uids}`
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++this.revision) } }
    this.objects.set(key, stored)
    this.tell(kind, { type: held === undefined ? "ADDED" : "MODIFIED", object: stored })
    return stored
  }

  private tell(kind: KindName, event: ObjectEvent): void {
    this.history.push({ kind, revision: this.revision, event })
    for (const watcher of this.watchers) if (watcher.kind === kind) this.offer(watcher, event)
  }

  private offer(watcher: Watcher, event: ObjectEvent): void {
    if (!watcher.matches(event.object)) return
    this.timers.soon(() => {
      if (!watcher.over) watcher.sink.events([event])
    })
  }
}

const keyOf = (kind: string, namespace = "", name = ""): string => `${kind}/${namespace}/${name}`

const matcher =
  ([field, value]: ReadonlyArray<string>) =>
  (object: KubeObject): boolean => {
    if (field === "spec.nodeName") return (object as Pod).spec.nodeName === value
    return field !== "metadata.name" || object.metadata.name === value
  }

/** A connection that can be cut: requests then fail at once and watches break. */
export const makeTestLink = (to: Connection, timers: TimersShape, onSend: (request: ApiRequest) => void = () => {}) => {
  let cut = false
  const breaks = new Set<() => void>()
  const error = new ConnectionError({ message: "cut" })
  const connection: Connection = {
    send: (request, reply) => {
      onSend(request)
      if (cut) reply(Result.fail(error))
      else to.send(request, reply)
    },
    watch: (request, sink) => {
      let over = false
      const close = cut ? () => {} : to.watch(request, sink)
      const stop = () => {
        over = true
        breaks.delete(broken)
        close()
      }
      const broken = () => {
        if (over) return
        stop()
        sink.end(error)
      }
      breaks.add(broken)
      if (cut) timers.soon(broken)
      return stop
    }
  }
  const setCut = (value: boolean) => {
    cut = value
    if (cut) for (const broken of [...breaks]) broken()
  }
  return { connection, setCut }
}
