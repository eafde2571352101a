import { cpSync } from "node:fs"
import { join } from "node:path"
import { formatMicroTime } from "@rollcall/api"
import { noEtcd } from "@rollcall/store-etcd/testing"
import { barePuts } from "../floor/etcdPuts.ts"
import { createLease, createNode, leaseText, nodeName } from "../load/objects.ts"
import { cpuSeconds } from "../load/processFigures.ts"
import { nowMs, Renewals } from "../load/renewals.ts"
import { each, type LoadResult, runLoad } from "../load/runLoad.ts"
import { CONNECTIONS, line, say } from "../server/lines.ts"
import { newFolder, type Running, removeFolder, startServer } from "../server/programs.ts"
import { type RunningEtcd, startEtcd } from "./startEtcd.ts"

/** The size of the benchmark: the number of nodes with a Lease, and the seconds of each load. */
export interface EtcdBench {
  readonly nodes: number
  readonly seconds: number
}

const ROUNDS = 2
const WRITERS = 32

const fill = async (running: Running, nodes: number) => {
  for (const request of [createNode, createLease])
    await runLoad({ ...running, connections: WRITERS, next: each(nodes, request) })
}

/** Renews over all servers at once, each of which has its share of the connections. */
const renewOver = async (
  servers: ReadonlyArray<Running>,
  renewals: Renewals,
  connections: number,
  seconds: number
): Promise<LoadResult> => {
  const next = renewals.inTurn(connections, seconds)
  const share = Math.floor(connections / servers.length)
  const results = await Promise.all(
    servers.map((running, index) =>
      runLoad({ ...running, connections: share, next: (own, elapsedMs) => next(index * share + own, elapsedMs) })
    )
  )
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, result) => total + of(result), 0)
  const perSecond = sum((result) => result.perSecond)
  return {
    perSecond,
    // Of the slower server.
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    refused: sum(({ refused }) => refused),
    cpuMicros: sum((result) => result.cpuMicros * result.perSecond) / perSecond
  }
}

interface Contender {
  readonly name: string
  readonly run: (connections: number) => Promise<LoadResult>
}

/** Runs all contenders in turns, so that other work on the machine affects each, and prints the better round and its ratio to the floor. */
const inTurns = async (
  floor: Contender,
  contenders: ReadonlyArray<Contender>,
  etcd: RunningEtcd,
  connections: number
) => {
  const best = new Map<Contender, LoadResult & { readonly etcdMicros: number }>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of [floor, ...contenders]) {
      const before = cpuSeconds(etcd.processId)
      const from = performance.now()
      const result = await contender.run(connections)
      const writes = (result.perSecond * (performance.now() - from)) / 1000
      const etcdMicros = ((cpuSeconds(etcd.processId) - before) / writes) * 1e6
      if (result.perSecond > (best.get(contender)?.perSecond ?? 0)) best.set(contender, { ...result, etcdMicros })
    }
  }
  say(`\n${connections} at a time`)
  const bare = best.get(floor)?.perSecond ?? Number.NaN
  for (const [{ name }, result] of best) {
    line(name, result)
    say(
      `  ${"".padEnd(34)} ${(result.perSecond / bare).toFixed(2)} of the floor's rate; etcd ${Math.round(result.etcdMicros)} µs each`
    )
  }
}

/** Benchmarks renewals of Leases through one and two API servers on etcd, beside one on SQLite, and beside bare puts into that etcd. */
export const benchEtcd = async ({ nodes, seconds }: EtcdBench): Promise<void> => {
  if (noEtcd !== undefined) return say(`skipped: ${noEtcd}`)
  const etcd = await startEtcd()
  const folders = [await newFolder(), await newFolder(), await newFolder()] as const
  const [first, second, own] = folders
  cpSync(join(first, "pki"), join(second, "pki"), { recursive: true })
  const servers: Array<Running> = []
  const start = async (name: string, folder: string, args: ReadonlyArray<string>) => {
    const running = { ...(await startServer(folder, args)), name }
    servers.push(running)
    return running
  }
  try {
    const onEtcd = ["--etcd-servers", etcd.url]
    const sqlite = await start("on SQLite", own, [])
    const one = await start("one on etcd", first, onEtcd)
    const two = await start("two on etcd", second, onEtcd)
    for (const running of [sqlite, one]) await fill(running, nodes)
    const known = { sqlite: new Renewals(nodes), etcd: new Renewals(nodes) }
    await known.sqlite.learn(sqlite.target)
    await known.etcd.learn(one.target)
    say(`\nRenewals of ${nodes} Leases, each on disk before it is answered`)
    const putOf = (number: number) => {
      const name = nodeName(number % nodes)
      return [`/bare/${name}`, leaseText(name, "", formatMicroTime(nowMs()))] as const
    }
    const floor = {
      name: "bare puts, CPU of etcd",
      run: (inFlight: number) => barePuts(etcd, inFlight, seconds, putOf)
    }
    const through = (name: string, over: ReadonlyArray<Running>, renewals: Renewals): Contender => ({
      name,
      run: (connections) => renewOver(over, renewals, connections, seconds)
    })
    const contenders = [
      through(sqlite.name, [sqlite], known.sqlite),
      through(one.name, [one], known.etcd),
      through(two.name, [one, two], known.etcd)
    ]
    for (const connections of CONNECTIONS) {
      const able = connections === 1 ? contenders.slice(0, -1) : contenders
      await inTurns(floor, able, etcd, connections)
    }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
    await etcd.stop()
    for (const folder of folders) removeFolder(folder)
  }
}
