import { formatTime, type Node, taintCloudUninitialized } from "@rollcall/api"
import { Cluster } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import {
  CloudNodeController,
  CloudNodeLifecycleController,
  CloudNodes,
  CloudProvider,
  type CloudSettings,
  type ModelledInstance,
  makeModelledCloud
} from "../../src/index.ts"
import { NodeApi } from "../NodeApi.ts"

export const START_MS = 1_767_225_600_000

/** The cloud controllers with a modelled cloud and a fake server. Times are seconds from the start. */
export class CloudTestCluster {
  readonly time = makeVirtualTime(START_MS)
  readonly api = new NodeApi(this.time.timers)
  readonly off = new Set<string>()
  readonly instances = new Map<string, ModelledInstance>()
  readonly cloud = makeModelledCloud({
    name: "p",
    instanceOf: (name) => this.instances.get(name),
    offSinceMs: (name) => (this.off.has(name) ? START_MS : undefined),
    nowMs: () => this.time.timers.now(),
    random: () => 0.5
  })
  private scope: Scope.Closeable | undefined

  /** A Node, and the machine that it stands for. */
  add(
    name: string,
    ready: string,
    {
      taints = [] as ReadonlyArray<string>,
      ...spec
    }: Readonly<Record<string, unknown>> & { taints?: ReadonlyArray<string> } = {}
  ): void {
    this.instances.set(name, {
      instanceType: "m8",
      zone: "z1",
      region: "r1",
      labels: {},
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }]
    })
    const node: Node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, uid: `uid-${name}`, creationTimestamp: formatTime(START_MS) },
      spec: { ...spec, taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
      status: { conditions: [{ type: "Ready", status: ready }], addresses: [{ type: "Hostname", address: name }] }
    } as Node
    this.api.put("Node", node)
  }

  addWaiting(name: string): void {
    this.add(name, "True", { taints: [taintCloudUninitialized] })
  }

  start(settings: Partial<CloudSettings> = {}): void {
    const layer = Layer.mergeAll(
      CloudNodeController.layer(settings),
      CloudNodeLifecycleController.layer(settings)
    ).pipe(
      Layer.provide(CloudNodes.layer),
      Layer.provide(Layer.succeed(CloudProvider, this.cloud.provider)),
      Layer.provide(Cluster.layerConnection(this.api.connection))
    )
    const built = this.time.run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(layer, scope)
        return scope
      }).pipe(Random.withSeed("cloud"))
    )
    if (Exit.isFailure(built)) throw new Error(String(built.cause))
    this.scope = built.value
  }

  /** Runs one sync of a node by a controller without workers; returns why it failed, or undefined. */
  sync(name: string): string | undefined {
    const layer = CloudNodes.layer.pipe(
      Layer.provideMerge(Layer.succeed(CloudProvider, this.cloud.provider)),
      Layer.provideMerge(Cluster.layerConnection(this.api.connection))
    )
    const program = Effect.gen(function* () {
      const controller = yield* CloudNodeController.make()
      yield* Effect.flatMap(CloudNodes, ({ synced }) => synced)
      return yield* Effect.result(controller.sync(name))
    })
    const exit = this.time.run(program.pipe(Effect.provide(layer), Effect.scoped, Random.withSeed("cloud")))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return Result.isFailure(exit.value) ? exit.value.failure.message : undefined
  }

  stop(): void {
    if (this.scope !== undefined) this.time.run(Scope.close(this.scope, Exit.void))
  }

  runTo(seconds: number): void {
    this.time.runUntil(START_MS + seconds * 1000)
  }

  taints(name: string): ReadonlyArray<string> {
    return (this.api.find("Node", name)?.spec?.taints ?? []).map(({ key }) => key.split("/").at(-1) ?? "")
  }

  /** Returns the writes, as `<second> <verb> <code>`. */
  get writes(): ReadonlyArray<string> {
    return this.api.noted
      .filter(({ request: { verb } }) => verb !== "get" && verb !== "list")
      .map(({ atMs, code, request }) => `${(atMs - START_MS) / 1000} ${request.verb} ${code}`)
  }

  get told(): ReadonlyArray<string> {
    return this.api.events.map(({ about, reason }) => `${about} ${reason}`)
  }
}
