import type { Deployment, EndpointSlice, KindName, KubeObject, Pod } from "@rollcall/api"
import { defaultRelease, getPodCondition, isNodeReady } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { type ClusterShape, type Connection, fromConnection } from "@rollcall/cluster"
import { controllerManagerLayer, identities, schedulerLayer } from "@rollcall/control-plane"
import { kubeletConfig, modelUpstream, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { DEFAULT_CAPACITY, Inhibitors, Links, makeMachine } from "@rollcall/machines"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type VirtualServices } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import { collectedKinds } from "../src/input/kinds.ts"
import { makeClients } from "../src/world/Clients.ts"
import { makeCorruption, makeThrowing } from "./hostile.ts"

const START = 1_767_225_600_000
const MINUTE = 60_000
const NODES = ["n1", "n2", "n3"]

const containers = [
  { name: "c", image: "x", resources: { requests: { cpu: "100m" } }, env: [{ name: "A", value: "b" }] }
]
const healthyLabel = { "example.com/healthy": "yes" }

/** One object of each namespaced kind that the controllers handle. */
const objectsOf = (namespace: string, prefix: string, nodeSelector?: Readonly<Record<string, string>>) => {
  const labels = { app: `${prefix}web` }
  const podSpec = { containers, ...(nodeSelector === undefined ? {} : { nodeSelector }) }
  const templateOf = (app: string) => ({ metadata: { labels: { app } }, spec: podSpec })
  const selecting = (app: string) => ({ selector: { matchLabels: { app } }, template: templateOf(app) })
  const named = (name: string) => ({ name: `${prefix}${name}`, namespace })
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...named("web"), labels },
      spec: { replicas: 3, ...selecting(`${prefix}web`) }
    },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: named("db"),
      spec: { replicas: 2, serviceName: `${prefix}db`, ...selecting(`${prefix}db`) }
    },
    { apiVersion: "apps/v1", kind: "DaemonSet", metadata: named("agent"), spec: selecting(`${prefix}agent`) },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: named("set"),
      spec: { replicas: 1, ...selecting(`${prefix}set`) }
    },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: named("once"),
      spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } }
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: named("web"),
      spec: { selector: labels, ports: [{ port: 80 }], clusterIP: "None" }
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: named("web"),
      spec: { minAvailable: 2, selector: { matchLabels: labels } }
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `${prefix}pv` },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: `${prefix}none`,
        hostPath: { path: "/data" },
        claimRef: { namespace, name: `${prefix}claim` }
      }
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: named("claim"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: `${prefix}none`,
        volumeName: `${prefix}pv`,
        resources: { requests: { storage: "1Gi" } }
      }
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: named("bare"),
      spec: { ...podSpec, ...(prefix === "" ? {} : { nodeName: "n1" }), tolerations: [{ operator: "Exists" }] }
    }
  ] as ReadonlyArray<unknown> as ReadonlyArray<KubeObject>
}

const capacity = { cpu: "8", memory: "16Gi", pods: "110" }

/** Odd Nodes with their Leases and CSINodes, a StorageClass, and the odd namespaced objects. */
const oddObjects = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "odd" } },
  ...["odd-1", "odd-2"].flatMap((name) => [
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "topology.kubernetes.io/zone": "odd", "kubernetes.io/hostname": name } },
      spec: { podCIDR: "10.9.0.0/24", taints: [{ key: "a", effect: "NoExecute" }] },
      status: { capacity, allocatable: capacity, conditions: [{ type: "Ready", status: "True" }] }
    },
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: "kube-node-lease" },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" }
    },
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name },
      spec: { drivers: [{ name: "d", nodeID: "x", allocatable: { count: 1 } }] }
    }
  ]),
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "odd-class" }, provisioner: "d" },
  ...objectsOf("odd", "odd-"),
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "odd-slice", namespace: "odd", labels: { "kubernetes.io/service-name": "odd-web" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    ports: [{ port: 80 }]
  }
] as ReadonlyArray<unknown> as ReadonlyArray<KubeObject>

/** A control plane and three kubelets in virtual time, which all read the odd objects corrupted. */
const startCluster = (seed: number, wrap: (to: Connection, client: string) => Connection) => {
  const errors: Array<readonly [source: string, error: unknown, fields: unknown]> = []
  const time = makeVirtualTime(START, { handleError: (...error) => errors.push(error as never) })
  const { timers } = time
  const within = <A, E>(effect: Effect.Effect<A, E, VirtualServices>): A => {
    const quiet = Effect.provideService(effect, References.MinimumLogLevel, "None")
    const exit = time.run(Random.withSeed(quiet, seed))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }
  const scope = Scope.makeUnsafe()
  const server = Context.get(
    within(Layer.buildWithScope(ApiServer.layer().pipe(Layer.provide(layerMemory())), scope)),
    ApiServer
  )
  const admin = fromConnection(server.connect(identities.admin))
  const clients = makeClients(timers, START, (name) => wrap(server.connect(identities.component(name)), name))
  const plane = { release: defaultRelease, settings: { controllerManager: {}, scheduler: {}, placing: {} } }
  const machines = NODES.map((name) =>
    makeMachine(
      {
        timers,
        hosts: NodeHosts.modelled(timers),
        inhibitors: Inhibitors.modelled(timers, (effect) => void time.fork(effect)),
        links: Links.modelled(timers, seed),
        runtimes: PodRuntimes.modelled(timers),
        release: defaultRelease,
        seed,
        model: modelUpstream,
        connect: (node) => wrap(server.connect(identities.node(node)), node)
      },
      { name, group: undefined, config: kubeletConfig({}), capacity: DEFAULT_CAPACITY }
    )
  )
  const create = (object: KubeObject) => within(Effect.ignore(admin.create(object.kind as KindName, object as never)))
  /** Changes each odd object, so that it is delivered again. */
  const touch = (turn: number) => {
    for (const { kind, metadata } of oddObjects) {
      const key = {
        name: metadata.name ?? "",
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
      }
      const body = { metadata: { annotations: { turn: String(turn) } } }
      within(Effect.ignore(admin.patch(kind as KindName, key, "merge", body)))
    }
  }
  for (const { kubelet } of machines) kubelet.startKubelet()
  time.runUntil(START + 5000)
  for (const name of NODES) within(admin.patch("Node", { name }, "merge", { metadata: { labels: healthyLabel } }))
  return {
    time,
    admin,
    errors,
    machines,
    within,
    create,
    touch,
    start: () => {
      within(
        Layer.buildWithScope(controllerManagerLayer(plane, clients, { collected: collectedKinds(true, false) }), scope)
      )
      within(Layer.buildWithScope(schedulerLayer(plane, clients), scope))
    },
    /** Runs for a while, with constant changes of the odd objects. */
    play: (ms: number) => {
      const end = timers.now() + ms
      for (let turn = 0; timers.now() < end; turn++) {
        touch(turn)
        time.runUntil(Math.min(end, timers.now() + 15_000))
      }
    },
    close: () => within(Scope.close(scope, Exit.void))
  }
}

type StartedCluster = ReturnType<typeof startCluster>

const listObjects = <A extends KubeObject>(
  { admin, within }: StartedCluster,
  kind: KindName,
  namespace: string
): ReadonlyArray<A> =>
  within(Effect.map((admin as ClusterShape).list(kind, { namespace }), ({ items }) => items)) as never

const isRunningAndReady = ({ status, metadata }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && getPodCondition(status, "Ready")?.status === "True"

const readyPodsOf = (cluster: StartedCluster, app: string, namespace = "default") =>
  listObjects<Pod>(cluster, "Pod", namespace).filter(
    (pod) => pod.metadata.labels?.app === app && isRunningAndReady(pod)
  )

/** Whether everything that the healthy objects request exists. */
const assertHealthy = (cluster: StartedCluster, nodes: ReadonlyArray<string>) => {
  const seed = "healthy objects"
  assert.strictEqual(readyPodsOf(cluster, "web").length, 3, seed)
  assert.strictEqual(readyPodsOf(cluster, "set").length, 1, seed)
  assert.strictEqual(
    readyPodsOf(cluster, "agent").filter(({ spec }) => nodes.includes(spec.nodeName ?? "")).length,
    nodes.length
  )
  const [deployment] = listObjects<Deployment>(cluster, "Deployment", "default")
  assert.strictEqual(deployment?.status?.availableReplicas, 3)
  const slices = listObjects<EndpointSlice>(cluster, "EndpointSlice", "default")
  const ready = slices.flatMap(({ endpoints = [] }) => endpoints.filter(({ conditions }) => conditions?.ready === true))
  assert.strictEqual(ready.length, 3)
  const [budget] = listObjects<KubeObject & { readonly status?: { readonly currentHealthy?: number } }>(
    cluster,
    "PodDisruptionBudget",
    "default"
  )
  assert.strictEqual(budget?.status?.currentHealthy, 3)
  const [claim] = listObjects<KubeObject & { readonly status?: { readonly phase?: string } }>(
    cluster,
    "PersistentVolumeClaim",
    "default"
  )
  assert.strictEqual(claim?.status?.phase, "Bound")
}

const errorsPerMinute = (errors: StartedCluster["errors"], minutes: number) => errors.length / minutes

describe("among invalid objects", () => {
  for (const seed of [1, 2, 3]) {
    it(`controllers, scheduler and kubelets handle all valid objects, and the others once they are corrected (seed ${seed})`, () => {
      const { hostile, wrap } = makeCorruption(seed)
      const cluster = startCluster(seed, wrap)
      const { errors, machines, play, time } = cluster
      for (const object of oddObjects) cluster.create(object)
      cluster.start()
      for (const object of objectsOf("default", "", healthyLabel)) cluster.create(object)
      play(4 * MINUTE)
      assert.isAbove(hostile.seen, 300)
      assertHealthy(cluster, NODES)
      assert.strictEqual(readyPodsOf(cluster, "db").length, 2)
      // A node stops its heartbeats: its pods are evicted and replaced.
      machines[2]?.crash()
      play(9 * MINUTE)
      assertHealthy(cluster, ["n1", "n2"])
      for (const node of ["n1", "n2"]) {
        assert.isTrue(isNodeReady(cluster.within(cluster.admin.get("Node", { name: node }))))
      }
      // Back-offs keep hopeless retries from filling the log.
      assert.isAbove(errors.length, 10)
      assert.isBelow(errorsPerMinute(errors, 13), 2000)
      hostile.on = false
      cluster.touch(-1)
      time.runUntil(time.timers.now() + 20 * MINUTE)
      assertHealthy(cluster, ["n1", "n2"])
      assert.strictEqual(readyPodsOf(cluster, "odd-web", "odd").length, 3)
      assert.strictEqual(readyPodsOf(cluster, "odd-set", "odd").length, 1)
      const errorsBefore = errors.length
      cluster.touch(-2)
      time.runUntil(time.timers.now() + 5 * MINUTE)
      assert.strictEqual(errors.length, errorsBefore)
      cluster.close()
    })
  }
})

describe("with connections that throw and return invalid responses", () => {
  for (const seed of [1, 2, 3]) {
    it(`controllers, scheduler and kubelets continue, and recover once the faults end (seed ${seed})`, () => {
      const { faulty, wrap } = makeThrowing(seed)
      faulty.on = false
      const cluster = startCluster(seed, wrap)
      const { errors, machines, time } = cluster
      cluster.start()
      for (const object of objectsOf("default", "", healthyLabel)) cluster.create(object)
      faulty.on = true
      time.runUntil(time.timers.now() + 6 * MINUTE)
      assert.isAbove(faulty.thrown, 100)
      assert.isAbove(errors.length, 10)
      faulty.on = false
      time.runUntil(time.timers.now() + 20 * MINUTE)
      assertHealthy(cluster, NODES)
      // Checked only afterwards: a NoSchedule taint that cannot be written is not retried, as upstream.
      machines[2]?.crash()
      time.runUntil(time.timers.now() + 9 * MINUTE)
      assertHealthy(cluster, ["n1", "n2"])
      const errorsBefore = errors.length
      time.runUntil(time.timers.now() + 5 * MINUTE)
      assert.deepStrictEqual(errors.slice(errorsBefore), [])
      cluster.close()
    })
  }
})
