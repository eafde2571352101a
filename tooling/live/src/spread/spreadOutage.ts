import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Connection, fromConnection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { listOf } from "../process/listOf.ts"
import { configOf, connectionTo, rollcall, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { startMembers } from "../several/etcdMembers.ts"
import { startServers } from "../several/startServers.ts"
import { startBalancer } from "./balancer.ts"
import { type Followed, followFaults, followKind, historyOf } from "./Follower.ts"
import { watchOutage } from "./watched.ts"
import { lostWrites, startWriter } from "./writers.ts"

/** A cluster whose second zone is lost. */
export interface SpreadShape {
  readonly nodes: number
  /** The nodes of zone b, which its partition cuts off, each with a pod. */
  readonly lost: number
  /** The nodes of zone a that have a pod. */
  readonly keepers: number
  readonly evictionsPerSecond: number
  readonly graceSeconds: number
}

export interface SpreadReport {
  readonly nodes: number
  readonly readySeconds: number
  readonly evicted: number
  /** Pods of the lost zone that were not evicted, and those that were evicted twice or wrongly. */
  readonly notEvicted: ReadonlyArray<string>
  readonly wronglyEvicted: ReadonlyArray<string>
  readonly falselyNotReady: ReadonlyArray<string>
  readonly acknowledged: number
  readonly failedWrites: number
  readonly lostWrites: ReadonlyArray<string>
  readonly watchEvents: number
  readonly resumed: number
  readonly watchFaults: ReadonlyArray<string>
  readonly leaders: readonly [string, string]
  /** From the first eviction to the last one, with all kills in between. */
  readonly evictionSeconds: number
}

const KINDS = [
  { kind: "Pod", prefix: "/registry/pods/" },
  { kind: "Node", prefix: "/registry/minions/" },
  { kind: "ConfigMap", prefix: "/registry/configmaps/" }
] as const

const WAIT_MS = 300_000
const MEMBER_GONE_MS = 3_000
/** How long watches have to deliver what was written last. */
const SETTLE_MS = 2_000

const podOn = (node: string) => ({
  apiVersion: "v1" as const,
  kind: "Pod" as const,
  metadata: { name: `on-${node}`, namespace: "default" },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: 1,
    tolerations: ["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists" as const,
      effect: "NoExecute" as const,
      tolerationSeconds: 1
    })),
    containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }]
  }
})

/** Starts two controller managers, of which one leads, and the two parts of the fleet, all by way of the balancer. */
const startComponents = Effect.fnUntraced(function* (kubeconfig: string, shape: SpreadShape) {
  const common = ["--kubeconfig", kubeconfig, "--secure-port", "0"]
  const manager = startRollcall(
    "controller-manager",
    ...common,
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
    `--node-monitor-grace-period=${shape.graceSeconds}s`,
    `--node-eviction-rate=${shape.evictionsPerSecond}`
  )
  const managers = [yield* manager]
  yield* managers[0]?.waitForOutput(/"Successfully acquired lease"/) ?? Effect.void
  managers.push(yield* manager)
  const part = (fleet: string, count: number) =>
    startRollcall("kubelet", ...common, "--fleet", fleet, "--count", String(count))
  const parts = [yield* part("a", shape.nodes - shape.lost), yield* part("b", shape.lost)]
  return { managers, parts }
})

/** The watches of all kinds, one of each that begins at each server. */
const followAll = (
  connections: ReadonlyArray<Connection>,
  timers: Timers["Service"],
  after: number,
  { takeNode, takePod }: Pick<ReturnType<typeof watchOutage>, "takeNode" | "takePod">
) =>
  KINDS.flatMap(({ kind, prefix }) =>
    connections.map((_, first) => {
      const take = first > 0 || kind === "ConfigMap" ? () => {} : kind === "Pod" ? takePod : takeNode
      return { name: `${kind} ${first}`, prefix, ...followKind(connections, timers, kind, { after, first, take }) }
    })
  )

const checkWatches = Effect.fnUntraced(function* (
  watches: ReturnType<typeof followAll>,
  etcd: ReadonlyArray<string>,
  after: number,
  until: number
) {
  const faults: Array<string> = []
  let [watchEvents, resumed] = [0, 0]
  for (const { prefix } of KINDS) {
    const history = yield* historyOf(etcd, prefix, after, until)
    for (const { followed, name, ...watch } of watches) {
      if (watch.prefix !== prefix) continue
      const found: Followed = followed()
      watchEvents += found.changes.length
      resumed += found.resumed
      faults.push(...followFaults(name, found, history))
    }
  }
  return { watchEvents, resumed, watchFaults: faults }
})

/** Starts everything, with watches of all that will happen. */
const startCluster = Effect.fnUntraced(function* (shape: SpreadShape) {
  const timers = yield* Timers
  const folder = yield* temporaryFolder
  const members = yield* startMembers(3, folder)
  const servers = yield* startServers(folder, members.urls, ["--etcd-compaction-interval", "0"])
  const port = yield* startBalancer(servers.ports)
  const kubeconfig = join(folder, "balanced.conf")
  const own = readFileSync(servers.kubeconfigs[0] ?? "", "utf8")
  writeFileSync(kubeconfig, own.replace(/server: .*/, `server: https://127.0.0.1:${port}`), { mode: 0o600 })
  const balanced = yield* connectionTo(yield* configOf(kubeconfig), { requestTimeoutMs: 12_000 })
  const connections = [yield* servers.connect(0), yield* servers.connect(1)]
  const { revision: after } = yield* listOf(balanced, "Node")
  const outage = watchOutage("b-")
  const watches = followAll(connections, timers, after, outage)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { stop } of watches) stop()
    })
  )
  const { managers } = yield* startComponents(kubeconfig, shape)
  return { members, servers, kubeconfig, balanced, connections, after, outage, watches, managers }
})

type RunningCluster = Effect.Success<ReturnType<typeof startCluster>>

const allReady = ({ outage }: RunningCluster, { nodes }: SpreadShape) =>
  eventually(
    "all nodes are Ready",
    Effect.sync(() => outage.ready.size),
    (size) => size === nodes,
    WAIT_MS
  )

const createPods = Effect.fnUntraced(function* ({ balanced }: RunningCluster, nodes: ReadonlyArray<string>) {
  const cluster = fromConnection(balanced)
  const account = cluster.get("ServiceAccount", { namespace: "default", name: "default" })
  yield* eventually("the service account of pods", account, () => true, WAIT_MS)
  yield* Effect.forEach(nodes, (node) => Effect.orDie(cluster.create("Pod", podOn(node))), {
    concurrency: 10,
    discard: true
  })
})

const evictedOf = ({ outage }: RunningCluster) => [...outage.deletions.values()].filter(({ times }) => times.size > 0)

/** Cuts the zone off, kills one of each in the middle of its evictions, and ends the fault. */
const playOutage = Effect.fnUntraced(function* (
  running: RunningCluster,
  shape: SpreadShape,
  say: (step: string) => void
) {
  const { balanced, kubeconfig, managers, members, outage, servers } = running
  outage.lose()
  const { code, stderr } = yield* rollcall("fault", "partition", "--zone=zone-b", "--kubeconfig", kubeconfig)
  if (code !== 0) return yield* Effect.die(new Error(stderr))
  const evictions = Effect.sync(() => evictedOf(running).length)
  const waitForEvictions = (part: number) =>
    eventually("evictions", evictions, (found) => found >= Math.ceil(shape.lost * part), WAIT_MS)
  const saying = (what: string) => Effect.map(evictions, (count) => say(`${count} pods evicted: ${what}`))
  yield* waitForEvictions(0.1)
  const firstMs = yield* Clock.currentTimeMillis
  yield* saying("kill -9 of a member of etcd")
  yield* members.kill(0)
  yield* Effect.sleep(MEMBER_GONE_MS)
  yield* members.start(0)
  yield* waitForEvictions(0.35)
  yield* saying("kill -9 of an API server")
  yield* servers.kill(0)
  yield* waitForEvictions(0.5)
  yield* servers.start(0)
  yield* waitForEvictions(0.6)
  const holder = fromConnection(balanced)
    .get("Lease", { namespace: "kube-system", name: "kube-controller-manager" })
    .pipe(
      Effect.map(({ spec }) => spec?.holderIdentity ?? ""),
      Effect.orDie
    )
  const leader = yield* holder
  yield* saying("kill -9 of the leading controller manager")
  managers[0]?.send("SIGKILL")
  yield* managers[1]?.waitForOutput(/"Successfully acquired lease"/) ?? Effect.void
  yield* waitForEvictions(1)
  const evictionSeconds = ((yield* Clock.currentTimeMillis) - firstMs) / 1000
  yield* saying("the partition ends")
  yield* rollcall("fault", "end", "--all", "--kubeconfig", kubeconfig)
  yield* allReady(running, shape)
  const leaders: SpreadReport["leaders"] = [leader, yield* holder]
  return { leaders, evictionSeconds }
})

/** Returns what the watches say about the pods of the lost nodes and all others. */
const evictionReport = (running: RunningCluster, lostNodes: ReadonlyArray<string>) => {
  const names = new Set(evictedOf(running).map(({ name }) => name))
  return {
    evicted: names.size,
    notEvicted: lostNodes.filter((node) => !names.has(`on-${node}`)),
    wronglyEvicted: [...running.outage.deletions.values()]
      .filter(({ name, times }) => times.size > (name.startsWith("on-b-") ? 1 : 0))
      .map(({ name }) => name),
    falselyNotReady: [...running.outage.falselyNotReady]
  }
}

/**
 * Three members of etcd, two API servers behind a balancer, two controller managers, and kubelets in two processes. A zone
 * is cut off, and in the middle of its evictions one member, one server and the leading manager are killed, each with kill -9.
 */
export const spreadOutage = Effect.fnUntraced(
  function* (shape: SpreadShape, say: (step: string) => void = () => {}) {
    const startedMs = yield* Clock.currentTimeMillis
    const running = yield* startCluster(shape)
    yield* allReady(running, shape)
    const readySeconds = ((yield* Clock.currentTimeMillis) - startedMs) / 1000
    say(`${shape.nodes} nodes Ready after ${readySeconds.toFixed(1)} s`)
    const { after, balanced, connections, members, watches } = running
    const lostNodes = Array.from({ length: shape.lost }, (_, index) => `b-${index}`)
    const keepers = Array.from({ length: shape.keepers }, (_, index) => `a-${index}`)
    yield* createPods(running, [...lostNodes, ...keepers])
    const writers = [yield* startWriter(balanced, "one"), yield* startWriter(balanced, "two")]
    const played = yield* playOutage(running, shape, say)
    yield* Effect.forEach(writers, ({ stop }) => stop)
    const acknowledged = writers.flatMap(({ log }) => log.acknowledged)
    const lost = yield* Effect.forEach(connections, (connection) => lostWrites(connection, acknowledged))
    const { revision: until } = yield* listOf(balanced, "Node")
    yield* Effect.sleep(SETTLE_MS)
    const report: SpreadReport = {
      nodes: shape.nodes,
      readySeconds,
      ...evictionReport(running, lostNodes),
      acknowledged: acknowledged.length,
      failedWrites: writers.reduce((sum, { log }) => sum + log.failed, 0),
      lostWrites: [...new Set(lost.flat())],
      ...(yield* checkWatches(watches, members.urls, after, until)),
      ...played
    }
    return report
  },
  Effect.scoped,
  Effect.orDie
)

/** Returns what a report shows that must not be. */
export const spreadFaults = (report: SpreadReport): ReadonlyArray<string> => [
  ...report.notEvicted.map((name) => `${name} keeps its pod`),
  ...report.wronglyEvicted.map((name) => `${name} was evicted twice or wrongly`),
  ...report.falselyNotReady.map((name) => `${name} was NotReady without a fault`),
  ...report.lostWrites.map((name) => `${name} was acknowledged and is lost`),
  ...report.watchFaults,
  ...(report.leaders[0] === report.leaders[1] ? ["the leader has not changed"] : [])
]
