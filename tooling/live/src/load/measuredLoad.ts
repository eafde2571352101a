import { join } from "node:path"
import type { KubeConnection } from "@rollcall/kube-client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { eventually } from "../process/eventually.ts"
import { listOf } from "../process/listOf.ts"
import { processorSeconds, residentMiB } from "../process/processMemory.ts"
import { configOf, connectionTo, freePort, readyServer, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { startMembers } from "../several/etcdMembers.ts"

/** What one API server and one member of etcd bear for nodes with heartbeats only, measured over some time. */
export interface MeasuredLoad {
  readonly nodes: number
  readonly seconds: number
  readonly renewalsPerSecond: number
  readonly statusesPerSecond: number
  readonly watchEventsPerSecond: number
  readonly openWatches: number
  readonly serverMiB: number
  readonly etcdMiB: number
  readonly kubeletsMiB: number
  /** Processor time, in cores. */
  readonly serverCores: number
  readonly etcdCores: number
  readonly kubeletsCores: number
  readonly falselyNotReady: number
}

/** Returns the sum of the samples of a metric whose labels contain all these texts. */
const sumOf = (text: string, name: string, ...labels: ReadonlyArray<string>): number => {
  let sum = 0
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${name}{`) || !labels.every((label) => line.includes(label))) continue
    sum += Number(line.slice(line.lastIndexOf(" ") + 1))
  }
  return sum
}

const metricsOf = ({ raw }: KubeConnection): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const cancel = raw({ method: "GET", path: "/metrics" }, (answer) =>
      resume(Result.isSuccess(answer) ? Effect.succeed(answer.success.body) : Effect.die(answer.failure))
    )
    return Effect.sync(cancel)
  })

const WAIT_MS = 300_000

const readyNodes = (connection: KubeConnection) =>
  Effect.map(
    listOf(connection, "Node"),
    ({ items }) =>
      items.filter((node) =>
        (
          node as { readonly status?: { readonly conditions?: ReadonlyArray<{ type: string; status: string }> } }
        ).status?.conditions?.some(({ status, type }) => type === "Ready" && status === "True")
      ).length
  )

/** Runs nodes with heartbeats only on one API server over one member of etcd, and measures what it costs. */
export const measuredLoad = Effect.fnUntraced(function* (nodes: number, warmUpSeconds: number, seconds: number) {
  const folder = yield* temporaryFolder
  const members = yield* startMembers(1, folder)
  const { kubeconfig, program } = yield* readyServer({
    folder: join(folder, "server"),
    port: yield* freePort,
    args: ["--etcd-servers", members.urls.join(",")]
  })
  const common = ["--kubeconfig", kubeconfig, "--secure-port", "0"]
  yield* startRollcall("controller-manager", ...common, "--kube-api-qps=500", "--kube-api-burst=1000")
  yield* startRollcall("scheduler", ...common)
  const kubelets = yield* startRollcall("kubelet", ...common, "--fleet", "a", "--count", String(nodes))
  const connection = yield* connectionTo(yield* configOf(kubeconfig), { requestTimeoutMs: 60_000 })
  yield* eventually("all nodes are Ready", readyNodes(connection), (ready) => ready === nodes, WAIT_MS)
  yield* Effect.sleep(warmUpSeconds * 1000)
  const pids = { server: program.pid, etcd: members.pids()[0] ?? 0, kubelets: kubelets.pid }
  const sample = Effect.gen(function* () {
    const text = yield* metricsOf(connection)
    const atMs = yield* Clock.currentTimeMillis
    const writes = (resource: string, ...labels: ReadonlyArray<string>) =>
      sumOf(text, "apiserver_request_total", `resource="${resource}"`, ...labels)
    return {
      atMs,
      renewals: writes("leases", 'verb="PUT"'),
      statuses: writes("nodes", 'subresource="status"'),
      events: sumOf(text, "apiserver_watch_events_total"),
      watches: sumOf(text, "apiserver_longrunning_requests", 'verb="WATCH"'),
      server: processorSeconds(pids.server),
      etcd: processorSeconds(pids.etcd),
      kubelets: processorSeconds(pids.kubelets)
    }
  })
  const first = yield* sample
  yield* Effect.sleep(seconds * 1000)
  const last = yield* sample
  const took = (last.atMs - first.atMs) / 1000
  const rate = (of: "renewals" | "statuses" | "events" | "server" | "etcd" | "kubelets") =>
    (last[of] - first[of]) / took
  const measured: MeasuredLoad = {
    nodes,
    seconds: took,
    renewalsPerSecond: rate("renewals"),
    statusesPerSecond: rate("statuses"),
    watchEventsPerSecond: rate("events"),
    openWatches: last.watches,
    serverMiB: residentMiB(pids.server),
    etcdMiB: residentMiB(pids.etcd),
    kubeletsMiB: residentMiB(pids.kubelets),
    serverCores: rate("server"),
    etcdCores: rate("etcd"),
    kubeletsCores: rate("kubelets"),
    falselyNotReady: nodes - (yield* readyNodes(connection))
  }
  return measured
}, Effect.scoped)
