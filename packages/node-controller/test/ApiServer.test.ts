import {
  formatMicroTime,
  formatTime,
  type Lease,
  type Node,
  type NodeStatus,
  type Pod,
  type Toleration
} from "@rollcall/api"
import { ApiServer, type AuditRecord, defaultAdmissionPlugins } from "@rollcall/api-server"
import { Cluster, type ClusterShape, fromConnection, rateLimited } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import {
  ControllerInformers,
  CurrentPassModel,
  NodeLifecycleController,
  PodGarbageCollector,
  TaintEvictionController
} from "../src/index.ts"
import { START_MS, tolerationsFor } from "./TestCluster.ts"

const conditionsAt = (now: number): NodeStatus["conditions"] =>
  ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastHeartbeatTime: formatTime(now),
    lastTransitionTime: formatTime(now)
  }))

/** The controllers against a whole API server, each behind the default client limits; kubelets beat each 2 s. */
class ClusterWithServer {
  readonly time = makeVirtualTime(START_MS)
  readonly audit: Array<{ readonly at: number } & AuditRecord> = []
  private readonly alive = new Set<string>()
  private readonly server: Context.Service.Shape<typeof ApiServer>
  readonly admin: ClusterShape

  constructor() {
    const layer = ApiServer.layer({
      admission: defaultAdmissionPlugins({ notReadySeconds: 20, unreachableSeconds: 20 })
    }).pipe(Layer.provide(layerMemory()))
    const context = this.run(
      Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(layer, scope)).pipe(Random.withSeed("rehearsal"))
    )
    this.server = Context.get(context, ApiServer)
    this.server.setAudit((record) => this.audit.push({ at: this.seconds, ...record }))
    this.admin = fromConnection(this.connect("admin"))
  }

  get seconds(): number {
    return (this.time.timers.now() - START_MS) / 1000
  }

  connect(userAgent: string) {
    return this.server.connect({ user: userAgent, groups: ["system:masters"], userAgent })
  }

  run<A, E>(effect: Effect.Effect<A, E, Timers>): A {
    const exit = this.time.run(effect)
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }

  runTo(seconds: number): void {
    this.time.runUntil(START_MS + seconds * 1000)
  }

  addNode(name: string, zone: string): void {
    const labels = {
      "topology.kubernetes.io/region": "r1",
      "topology.kubernetes.io/zone": zone,
      "kubernetes.io/os": "linux"
    }
    this.run(this.admin.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name, labels } }))
    this.postStatus(name)
    this.alive.add(name)
    this.beat(name)
  }

  addPod(name: string, nodeName: string, tolerations?: ReadonlyArray<Toleration>): void {
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        nodeName,
        containers: [{ name: "c", image: "registry.example/c" }],
        ...(tolerations === undefined ? {} : { tolerations })
      }
    }
    const created = this.run(this.admin.create("Pod", pod))
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } as const
    this.run(this.admin.updateStatus("Pod", { ...created, status: { ...created.status, ...status } }))
  }

  taint(name: string, key: string, effect: string): void {
    const node = this.node(name)
    const taints = [...(node.spec?.taints ?? []), { key, value: "nodeshutdown", effect }]
    this.run(this.admin.update("Node", { ...node, spec: { ...node.spec, taints } }))
  }

  node(name: string): Node {
    return this.run(this.admin.get("Node", { name }))
  }

  silence(name: string): void {
    this.alive.delete(name)
  }

  revive(name: string): void {
    this.postStatus(name)
    this.alive.add(name)
    this.beat(name)
  }

  start(): void {
    const client = (userAgent: string) =>
      Cluster.layerConnection(rateLimited(this.connect(userAgent), { qps: 20, burst: 30, timers: this.time.timers }))
    const controllers = Layer.mergeAll(
      NodeLifecycleController.layer({
        nodeMonitorPeriodMs: 1000,
        nodeMonitorGracePeriodMs: 8000,
        nodeStartupGracePeriodMs: 12_000,
        nodeEvictionRate: 0.5
      }).pipe(Layer.provide(client("node-controller"))),
      TaintEvictionController.layer.pipe(Layer.provide(client("taint-eviction"))),
      PodGarbageCollector.layer().pipe(Layer.provide(client("pod-garbage-collector")))
    ).pipe(Layer.provide(ControllerInformers.layer), Layer.provide(client("informers")))
    const program = Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(controllers, scope))
    const passes = { baseMs: 2, perNodeMs: 0.01, metersEveryNode: true }
    this.run(program.pipe(Random.withSeed("controllers"), Effect.provideService(CurrentPassModel, passes)))
  }

  /** Writes of the controllers about objects of this name, in order. */
  writes(name: string): ReadonlyArray<string> {
    return this.audit.flatMap(({ code, identity, request }) =>
      identity.userAgent === "admin" || request.kind === "Event" || !("name" in request) || request.name !== name
        ? []
        : [
            `${identity.userAgent} ${request.verb} ${request.kind}${request.subresource === undefined ? "" : "/status"} ${code}`
          ]
    )
  }

  /** When pods were deleted, and by whom, after a time. */
  deletions(from: number): Record<string, string> {
    const found: Record<string, string> = {}
    for (const { at, code, identity, request } of this.audit) {
      if (request.verb !== "delete" || request.kind !== "Pod" || code !== 200) continue
      found[request.name] ??= `${(at - from).toFixed(0)} ${identity.userAgent}`
    }
    return found
  }

  taintedAt(name: string, effect: string): number {
    for (const { at, object } of this.audit) {
      if (object?.kind === "Node" && object.metadata.name === name) {
        const { spec } = object as Node
        if (spec?.taints?.some((taint) => taint.effect === effect && taint.key.endsWith("unreachable"))) return at
      }
    }
    return Number.NaN
  }

  private postStatus(name: string): void {
    const node = this.node(name)
    const status = { ...node.status, conditions: conditionsAt(this.time.timers.now()) } as NodeStatus
    this.run(this.admin.updateStatus("Node", { ...node, status }))
  }

  private beat(name: string): void {
    if (!this.alive.has(name)) return
    const spec = { holderIdentity: name, renewTime: formatMicroTime(this.time.timers.now()) }
    const metadata = { name, namespace: "kube-node-lease" }
    const lease: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec }
    const { connection } = this.admin
    const whole = { kind: "Lease", namespace: metadata.namespace } as const
    connection.send({ ...whole, verb: "patch", name, patchType: "merge", body: { spec } }, (answer) => {
      if (Result.isFailure(answer)) connection.send({ ...whole, verb: "create", object: lease }, () => undefined)
    })
    this.time.timers.after(2000, () => this.beat(name))
  }
}

const tolerationFor = (seconds: number | undefined, name: string): ReadonlyArray<Toleration> => [
  {
    key: name,
    operator: "Exists",
    effect: "NoExecute",
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
  }
]

const UNREACHABLE = "node.kubernetes.io/unreachable"

describe("against a whole API server", () => {
  it("pods leave a silent node as long after its taint as they tolerate it", () => {
    const rehearsal = new ClusterWithServer()
    for (const zone of ["a", "b"]) for (let index = 0; index < 3; index++) rehearsal.addNode(`${zone}-${index}`, zone)
    const pods: Record<string, ReadonlyArray<Toleration> | undefined> = {
      default: undefined,
      "other-key": [{ key: "example.com/x", operator: "Exists" }],
      t5: tolerationsFor(5),
      zero: tolerationsFor(0),
      "two-long-first": [...tolerationFor(60, UNREACHABLE), ...tolerationFor(5, UNREACHABLE)],
      forever: tolerationsFor(),
      "all-keys": [{ operator: "Exists" }],
      t120: tolerationsFor(120)
    }
    for (const [name, tolerations] of Object.entries(pods)) rehearsal.addPod(name, "b-0", tolerations)
    rehearsal.start()
    rehearsal.runTo(21)
    assert.deepStrictEqual(rehearsal.node("b-0").spec?.taints ?? [], [])
    assert.strictEqual(rehearsal.node("b-0").metadata.labels?.["beta.kubernetes.io/os"], "linux")
    const { length } = rehearsal.audit
    rehearsal.silence("b-0")
    rehearsal.runTo(100)
    const taintedAt = rehearsal.taintedAt("b-0", "NoExecute")
    assert.approximately(taintedAt, 28.2, 0.3)
    assert.deepStrictEqual(rehearsal.deletions(taintedAt), {
      zero: "0 taint-eviction",
      t5: "5 taint-eviction",
      default: "20 taint-eviction",
      "other-key": "20 taint-eviction",
      "two-long-first": "60 taint-eviction"
    })
    rehearsal.revive("b-0")
    rehearsal.runTo(200)
    assert.notProperty(rehearsal.deletions(0), "t120")

    rehearsal.audit.splice(0, length)
    assert.deepStrictEqual(
      rehearsal.writes("b-0").filter((write) => !write.includes("409")),
      [
        "node-controller update Node/status 200",
        "node-controller patch Node 200",
        "node-controller patch Node 200",
        "node-controller patch Node 200",
        "node-controller patch Node 200"
      ]
    )
    assert.deepStrictEqual(rehearsal.writes("t5"), [
      "node-controller update Pod/status 200",
      "taint-eviction patch Pod/status 200",
      "taint-eviction delete Pod 200"
    ])
    assert.deepStrictEqual(rehearsal.node("b-0").spec?.taints ?? [], [])
  })

  it("pods of a node out of service are ended by the collector", () => {
    const rehearsal = new ClusterWithServer()
    for (const zone of ["a", "b"]) for (let index = 0; index < 3; index++) rehearsal.addNode(`${zone}-${index}`, zone)
    const outOfService = tolerationFor(undefined, "node.kubernetes.io/out-of-service")
    rehearsal.addPod("default", "b-0")
    rehearsal.addPod("forever", "b-0", tolerationsFor())
    rehearsal.addPod("forever-and-oos", "b-0", [...tolerationsFor(), ...outOfService])
    rehearsal.addPod("t20-and-oos", "b-0", [
      ...tolerationsFor(20),
      ...tolerationFor(20, "node.kubernetes.io/out-of-service")
    ])
    rehearsal.runTo(1)
    rehearsal.start()
    rehearsal.runTo(21)
    rehearsal.silence("b-0")
    rehearsal.runTo(56)
    assert.deepStrictEqual(Object.keys(rehearsal.deletions(0)), ["default", "t20-and-oos"])
    rehearsal.taint("b-0", "node.kubernetes.io/out-of-service", "NoExecute")
    rehearsal.runTo(60)
    assert.strictEqual(rehearsal.deletions(0).forever, "56 taint-eviction")
    rehearsal.runTo(62)
    assert.deepStrictEqual(rehearsal.writes("default").slice(-3), [
      "taint-eviction delete Pod 200",
      "pod-garbage-collector patch Pod/status 200",
      "pod-garbage-collector delete Pod 200"
    ])
    const left = rehearsal.run(rehearsal.admin.list("Pod")).items.map(({ metadata }) => metadata.name)
    assert.deepStrictEqual(left, ["forever-and-oos"])
    const told = rehearsal.run(rehearsal.admin.list("Event", { namespace: "default" })).items
    const about = (name: string) =>
      told.filter(({ involvedObject, reason }) => involvedObject.name === name && reason === "TaintManagerEviction")
    assert.deepStrictEqual(
      about("default").map(({ count, message }) => `${message} x${count}`),
      ["Marking for deletion Pod default/default x2"]
    )
    assert.deepStrictEqual(
      about("t20-and-oos").map(({ message }) => message),
      ["Marking for deletion Pod default/t20-and-oos", "Cancelling deletion of Pod default/t20-and-oos"]
    )
    assert.isTrue(
      told.every(({ involvedObject }) => involvedObject.kind !== "Node" || involvedObject.uid !== undefined)
    )
  })
})
