import {
  CurrentRelease,
  formatMicroTime,
  formatTime,
  type Lease,
  type Node,
  type NodeCondition,
  type Pod,
  type ReleaseName,
  releases,
  type Toleration
} from "@rollcall/api"
import { Cluster, rateLimited } from "@rollcall/cluster"
import { makeVirtualTime, type VirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import {
  ControllerInformers,
  CurrentPassModel,
  type NodeControllerObserver,
  NodeLifecycleController,
  type NodeLifecycleSettings,
  noObserver,
  Observer,
  PodGarbageCollector,
  TaintEvictionController
} from "../src/index.ts"
import { NodeApi } from "./NodeApi.ts"

export const START_MS = 1_767_225_600_000

const condition = (type: string, status: string, now: number): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: formatTime(now),
  lastTransitionTime: formatTime(now)
})

export const tolerationsFor = (seconds?: number): ReadonlyArray<Toleration> =>
  ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
  }))

export interface Limits {
  readonly qps: number
  readonly burst: number
}

export type Controllers = NodeLifecycleController | TaintEvictionController | PodGarbageCollector

/** A cluster of nodes with heartbeats, and the node controllers. Times are seconds from the start. */
export class TestCluster {
  readonly time: VirtualTime = makeVirtualTime(START_MS)
  readonly api = new NodeApi(this.time.timers)
  /** What the controllers reported to their observer, as `<seconds> <what>`. */
  readonly reports: Array<string> = []
  /** What the controllers logged as errors, as `<message>: <err>`. */
  readonly errors: Array<string> = []
  beatMs = 10_000
  private readonly beatingNodes = new Set<string>()
  private readonly settings: Partial<NodeLifecycleSettings>
  private readonly limits: Limits | undefined
  private scope: Scope.Closeable | undefined
  private context: Context.Context<Controllers> | undefined

  /** How long passes take. */
  passModel = { baseMs: 2, perNodeMs: 0.01, metersEveryNode: false }
  private readonly release: ReleaseName

  constructor(settings: Partial<NodeLifecycleSettings> = {}, limits?: Limits, release: ReleaseName = "1.36") {
    this.settings = settings
    this.release = release
    this.limits = limits
  }

  get seconds(): number {
    return (this.time.timers.now() - START_MS) / 1000
  }

  get<I, S>(service: Context.Key<I, S>): S {
    return Context.get(this.context as Context.Context<I>, service)
  }

  addNode(name: string, zone = "zone-a", extra: Partial<Node["metadata"]> = {}): void {
    const now = this.time.timers.now()
    this.api.put("Node", {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        uid: `uid-${name}`,
        creationTimestamp: formatTime(now),
        ...extra,
        labels: { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": zone, ...extra.labels }
      },
      spec: {},
      status: { conditions: this.conditions("True") }
    } as Node)
    this.beatingNodes.add(name)
    this.beat(name)
  }

  addPod(name: string, nodeName: string, tolerations: ReadonlyArray<Toleration> = tolerationsFor(300)): void {
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 1 },
      spec: { nodeName, tolerations, containers: [] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
    }
    this.api.put("Pod", pod)
  }

  /** Stops the heartbeats of these nodes. */
  silence(...names: ReadonlyArray<string>): void {
    for (const name of names) this.beatingNodes.delete(name)
  }

  /** Resumes the heartbeats of these nodes: the status at once, then the Lease. */
  revive(...names: ReadonlyArray<string>): void {
    for (const name of names) {
      this.beatingNodes.add(name)
      this.postStatus(name, "True")
      this.beat(name)
    }
  }

  postStatus(name: string, ready: string): void {
    const node = this.api.node(name)
    this.api.put("Node", { ...node, status: { ...node.status, conditions: this.conditions(ready) } } as Node)
  }

  start(observer: Partial<NodeControllerObserver> = {}): void {
    const say = (what: string) => this.reports.push(`${this.seconds.toFixed(1)} ${what}`)
    const watching: NodeControllerObserver = {
      ...noObserver,
      zoneStateChanged: ({ from, to, zoneKey }) => say(`${zoneKey.split(":").at(-1)} ${from}->${to}`),
      zoneRateChanged: ({ nodesPerSecond, zoneKey }) => say(`${zoneKey.split(":").at(-1)} ${nodesPerSecond}/s`),
      allZonesDown: (entered) => say(entered ? "all down" : "all down over"),
      ...observer
    }
    const client = () => {
      const { connection } = this.api
      return Cluster.layerConnection(
        this.limits === undefined ? connection : rateLimited(connection, { ...this.limits, timers: this.time.timers })
      )
    }
    const controllers = Layer.mergeAll(
      NodeLifecycleController.layer(this.settings).pipe(Layer.provide(client())),
      TaintEvictionController.layer.pipe(Layer.provide(client())),
      PodGarbageCollector.layer().pipe(Layer.provide(client()))
    ).pipe(Layer.provide(ControllerInformers.layer.pipe(Layer.provide(client()))))
    const built = this.time.run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(controllers, scope)
        return { scope, context }
      }).pipe(
        Effect.provideService(Observer, watching),
        Effect.provideService(CurrentPassModel, this.passModel),
        Effect.provideService(CurrentRelease, releases[this.release]),
        Random.withSeed("world"),
        Effect.provide(Logger.layer([this.logger]))
      )
    )
    if (Exit.isFailure(built)) throw new Error(String(built.cause))
    this.scope = built.value.scope
    this.context = built.value.context
  }

  private readonly logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    if (logLevel !== "Error") return
    const { err } = fiber.getRef(References.CurrentLogAnnotations)
    this.errors.push(`${message}${err === undefined ? "" : `: ${err}`}`)
  })

  stop(): void {
    if (this.scope !== undefined) this.time.run(Scope.close(this.scope, Exit.void))
    this.scope = undefined
  }

  restart(): void {
    this.stop()
    this.start()
  }

  runTo(seconds: number): void {
    this.time.runUntil(START_MS + seconds * 1000)
  }

  ready(name: string): string | undefined {
    return this.api.node(name).status?.conditions?.find(({ type }) => type === "Ready")?.status
  }

  taints(name: string): ReadonlyArray<string> {
    return (this.api.node(name).spec?.taints ?? []).map(({ effect, key }) => `${key.split("/").at(-1)}:${effect}`)
  }

  /** Nodes with a NoExecute taint. */
  tainted(): ReadonlyArray<string> {
    return this.api
      .all("Node")
      .map(({ metadata: { name = "" } }) => name)
      .filter((name) => this.taints(name).some((taint) => taint.endsWith("NoExecute")))
      .sort()
  }

  /** Returns the second of the first successful delete request of each pod, by name. */
  deletions(): Record<string, number> {
    const result: Record<string, number> = {}
    for (const { atMs, code, request } of this.api.noted) {
      if (request.verb !== "delete" || request.kind !== "Pod" || code !== 200) continue
      result[request.name] ??= (atMs - START_MS) / 1000
    }
    return result
  }

  private conditions(ready: string): ReadonlyArray<NodeCondition> {
    const now = this.time.timers.now()
    const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => condition(type, "False", now))
    return [...pressures, condition("Ready", ready, now)]
  }

  private beat(name: string): void {
    if (!this.beatingNodes.has(name)) return
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: "kube-node-lease" },
      spec: { renewTime: formatMicroTime(this.time.timers.now()) }
    }
    this.api.put("Lease", lease)
    this.time.timers.after(this.beatMs, () => this.beat(name))
  }
}
