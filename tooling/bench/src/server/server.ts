import { createAccount, createLease, createNode, createPod, deletePod } from "../load/objects.ts"
import { Renewals } from "../load/renewals.ts"
import { each, type LoadResult, runLoad } from "../load/runLoad.ts"
import { CONNECTIONS, figure, line, memory, ratio, say } from "./lines.ts"
import { buildProgram, newFolder, type Running, removeFolder, startFloor, startServer } from "./programs.ts"
import { lagsInTurns, listsInTurns } from "./reads.ts"

/** The size of the benchmark: the number of nodes, and the seconds of each load. */
export interface ServerBench {
  readonly nodes: number
  readonly seconds: number
  readonly pods: number
}

const ROUNDS = 2
const WRITERS = 32
const FEW_NODES = 1000

const create = (running: Running, nodes: number, offset: number, request: typeof createNode) =>
  runLoad({ ...running, connections: WRITERS, next: each(nodes, (number) => request(offset + number)) })

/** Returns the better of two rounds: other work on the machine only makes results worse. */
const better = (left: LoadResult | undefined, right: LoadResult): LoadResult =>
  left === undefined || right.perSecond > left.perSecond ? right : left

/** Runs renewals against both in alternation, so that other work on the machine affects both. */
const renewalsInTurns = async (server: Running, floor: Running, { nodes, seconds }: ServerBench) => {
  say("\nDurable Lease renewals (PUT over HTTPS)")
  const renewals = new Map([server, floor].map((running) => [running, new Renewals(nodes)]))
  for (const [running, own] of renewals) await own.learn(running.target)
  for (const connections of CONNECTIONS) {
    const best = new Map<Running, LoadResult>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const [running, own] of renewals) {
        const result = await runLoad({ ...running, connections, next: own.inTurn(connections, seconds) })
        line(`${running.name}, ${connections} connection${connections === 1 ? "" : "s"}`, result)
        best.set(running, better(best.get(running), result))
      }
    }
    ratio(best.get(server) as LoadResult, best.get(floor) as LoadResult)
  }
}

/** Starts the program as it is published; the first start, which fills its compile cache, does not count. */
const publishedStart = async (what: string, folder: string, program: string) => {
  const first = await startServer(folder, [], program)
  await first.stop()
  const running = await startServer(folder, [], program)
  say(`  ${`published, to /readyz, ${what}`.padEnd(34)} ${running.startSeconds.toFixed(2).padStart(7)} s`)
  await memory(`published, ${what}`, running)
  await running.stop()
}

/** Benchmarks the API server in a separate process against the floor, in the same run. */
export const benchServer = async (bench: ServerBench): Promise<void> => {
  const { nodes, pods, seconds } = bench
  const folder = await newFolder()
  const program = buildProgram()
  say("\nThe API server as it is published, in a process of its own")
  await publishedStart("empty", folder, program)
  const floor = await startFloor(folder)
  let server = await startServer(folder)
  try {
    say("\nThe API server from its source, in a process of its own")
    say(`  ${"exec to /readyz 200".padEnd(34)} ${server.startSeconds.toFixed(2).padStart(7)} s`)
    say(`  ${"exec to an answer of the floor".padEnd(34)} ${floor.startSeconds.toFixed(2).padStart(7)} s`)
    await memory("idle", server)
    await memory("the floor", floor)
    const few = Math.min(FEW_NODES, nodes)
    await create(server, few, 0, createNode)
    await create(server, few, 0, createLease)
    await memory(`${figure(few)} nodes and Leases`, server)
    for (const running of [server, floor]) {
      line(`${running.name}, node creates`, await create(running, nodes - few, few, createNode))
      line(`${running.name}, Lease creates`, await create(running, nodes - few, few, createLease))
    }
    await memory(`${figure(nodes)} nodes and Leases`, server)
    await create(server, 1, 0, createAccount)
    for (const running of [server, floor])
      line(`${running.name}, pod creates`, await create(running, pods, 0, createPod))
    line("rollcall apiserver, pod deletes", await create(server, pods, 0, deletePod))
    await listsInTurns(server, floor, nodes)
    await renewalsInTurns(server, floor, bench)
    await memory("after the renewals", server)
    await lagsInTurns(server, floor, nodes, seconds)
    await memory("after the watches", server)
    await server.stop()
    server = await startServer(folder)
    say(`\n  ${`exec to /readyz, ${figure(nodes)} nodes`.padEnd(34)} ${server.startSeconds.toFixed(2).padStart(7)} s`)
    await memory(`${figure(nodes)} nodes, restarted`, server)
    await server.stop()
    await publishedStart(`${figure(nodes)} nodes`, folder, program)
  } finally {
    await Promise.all([server.stop(), floor.stop()])
    removeFolder(folder)
  }
}
