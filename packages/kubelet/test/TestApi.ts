import { type KindName, type KubeObject, type Lease, type Node, nodeLeaseNamespace, type Pod } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { type ApiRequest, type Connection, ConnectionError, cancellable, type Subresource } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import type { TimersShape, VirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"

/** An API server in process, which records the requests of kubelets. The test reads and writes as an administrator. */
export class TestApi {
  readonly requests: Array<{ readonly at: number; readonly request: ApiRequest }> = []
  private readonly time: VirtualTime
  private readonly server: Context.Service.Shape<typeof ApiServer>
  private readonly admin: Connection

  constructor(time: VirtualTime) {
    this.time = time
    const layer = ApiServer.layer().pipe(Layer.provide(layerMemory()))
    const exit = time.run(
      Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(layer, scope)).pipe(Random.withSeed("kubelet"))
    )
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    this.server = Context.get(exit.value, ApiServer)
    this.admin = this.server.connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
  }

  /** Returns the connection of a node's kubelet, whose requests are recorded. */
  connectionOf(name: string): Connection {
    const user = `system:node:${name}`
    const to = this.server.connect({ user, groups: ["system:nodes"], userAgent: "kubelet/test" })
    return {
      ...to,
      send: cancellable((request, reply) => {
        this.requests.push({ at: this.time.timers.now(), request })
        to.send(request, reply)
      })
    }
  }

  node(name: string): Node | undefined {
    return this.get<Node>("Node", name)
  }
  lease(name: string): Lease | undefined {
    return this.get<Lease>("Lease", name, nodeLeaseNamespace)
  }
  pod(name: string): Pod | undefined {
    return this.get<Pod>("Pod", name, "default")
  }

  /** Returns the requests of kubelets with a verb, kind and subresource, given as `patch Node/status`. */
  asked(what: string): ReadonlyArray<{ readonly at: number; readonly request: ApiRequest }> {
    return this.requests.filter(({ request }) => {
      const subresource = "subresource" in request && request.subresource !== undefined ? `/${request.subresource}` : ""
      return `${request.verb} ${request.kind}${subresource}` === what
    })
  }

  createPod(
    name: string,
    nodeName: string,
    spec: Partial<Pod["spec"]> = {},
    annotations: Readonly<Record<string, string>> = {}
  ): Pod {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", annotations },
      spec: { containers: [{ name: "c", image: "pause" }], nodeName, ...spec }
    }
    return this.ask({ verb: "create", kind: "Pod", namespace: "default", object }) as Pod
  }

  createNode(object: Pick<Node, "metadata" | "spec">): void {
    this.ask({ verb: "create", kind: "Node", object: { apiVersion: "v1", kind: "Node", ...object } })
  }

  /** Writes an object as another component would. */
  update(kind: KindName, object: KubeObject, subresource?: Subresource): void {
    const { name = "", namespace } = object.metadata
    this.ask({
      verb: "update",
      kind,
      name,
      object,
      ...(namespace === undefined ? {} : { namespace }),
      ...(subresource === undefined ? {} : { subresource })
    })
  }

  deletePod(name: string, gracePeriodSeconds?: number): void {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
    this.ask({ verb: "delete", kind: "Pod", namespace: "default", name, options })
  }

  /** Sends a request as an administrator; returns undefined if it is refused. */
  ask(request: ApiRequest): unknown {
    let out: unknown
    this.admin.send(request, (answer) => {
      out = Result.isSuccess(answer) ? answer.success : undefined
    })
    return out
  }

  private get<A>(kind: KindName, name: string, namespace?: string): A | undefined {
    return this.ask({ verb: "get", kind, name, ...(namespace === undefined ? {} : { namespace }) }) as A | undefined
  }
}

/** A connection that can be cut: requests then fail at once and watches break. */
export const makeTestLink = (to: Connection, timers: TimersShape, onSend: (request: ApiRequest) => void) => {
  let cut = false
  let deaf = false
  const held: Array<() => void> = []
  const breaks = new Set<() => void>()
  const error = new ConnectionError({ message: "cut" })
  const connection: Connection = {
    send: cancellable((request, reply) => {
      onSend(request)
      if (cut) reply(Result.fail(error))
      else to.send(request, reply)
    }),
    watch: (request, sink) => {
      let over = false
      const events: typeof sink.events = (batch) => {
        if (deaf) held.push(() => sink.events(batch))
        else sink.events(batch)
      }
      const close = cut ? () => {} : to.watch(request, { ...sink, events })
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
  /** While true, watches deliver no events, but requests get through. False delivers the held events. */
  const setDeaf = (value: boolean) => {
    deaf = value
    if (!deaf) for (const tell of held.splice(0)) tell()
  }
  return { connection, setCut, setDeaf }
}
