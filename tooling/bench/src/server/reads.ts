import { HttpClient, type Target } from "../load/HttpClient.ts"
import { NODES } from "../load/objects.ts"
import { cpuSeconds, loadAverage } from "../load/processFigures.ts"
import { Renewals } from "../load/renewals.ts"
import { share } from "../load/runLoad.ts"
import { figure, say } from "./lines.ts"
import type { Running } from "./programs.ts"
import { type LagResult, watchLag } from "./watchLag.ts"

const ROUNDS = 2
const LISTS = 11
const RENEWALS_PER_SECOND = 500
/** Watchers of all Leases; five thousand that each watch their own come after. */
const WATCHERS = [1, 100] as const
const LIST_ON_FLOOR = "/list"

interface ListResult {
  readonly p50Ms: number
  readonly maxMs: number
  readonly bytes: number
  /** The processor time of the server for one list. */
  readonly cpuMs: number
}

const requestOnce = (target: Target, method: "GET" | "PUT", path: string, body: string): Promise<string> =>
  HttpClient.open(target).then(
    (client) =>
      new Promise((resolve) =>
        client.send({ method, path, body }, (_, answer) => {
          resolve(answer.toString())
          client.close()
        })
      )
  )

const listTimes = async ({ processId, target }: Running, path: string): Promise<ListResult> => {
  const client = await HttpClient.open(target)
  const taken: Array<number> = []
  const cpuBefore = cpuSeconds(processId)
  let bytes = 0
  for (let time = 0; time < LISTS; time++) {
    const from = performance.now()
    await new Promise<void>((resolve) =>
      client.send({ method: "GET", path, body: "" }, (_, body) => {
        bytes = body.length
        resolve()
      })
    )
    taken.push(performance.now() - from)
  }
  client.close()
  taken.sort((left, right) => left - right)
  const cpuMs = ((cpuSeconds(processId) - cpuBefore) * 1000) / LISTS
  return { p50Ms: share(taken, 0.5), maxMs: share(taken, 1), bytes, cpuMs }
}

/** Keeps the better of each, and prints their ratio. */
const inTurns = async <R extends { readonly p50Ms: number }>(
  [ours, floor]: readonly [() => Promise<R>, () => Promise<R>],
  ratio: (ours: R, floor: R) => string
): Promise<void> => {
  const better = (left: R | undefined, right: R) => (left === undefined || right.p50Ms < left.p50Ms ? right : left)
  let best: readonly [R, R] | undefined
  for (let round = 0; round < ROUNDS; round++)
    best = [better(best?.[0], await ours()), better(best?.[1], await floor())]
  if (best !== undefined) say(`  ${"ratio to the floor".padEnd(34)} ${ratio(...best)}`)
}

/** Lists all nodes; the floor sends the same bytes from one buffer. */
export const listsInTurns = async (server: Running, floor: Running, nodes: number): Promise<void> => {
  await requestOnce(floor.target, "PUT", LIST_ON_FLOOR, await requestOnce(server.target, "GET", NODES, ""))
  const list = (running: Running, path: string) => async () => {
    const result = await listTimes(running, path)
    const { bytes, cpuMs, maxMs, p50Ms } = result
    say(
      `  ${`${running.name}, list of ${figure(nodes)} nodes`.padEnd(34)} p50 ${p50Ms.toFixed(1)} ms, slowest ${maxMs.toFixed(1)} ms, ` +
        `${(bytes / 2 ** 20).toFixed(1)} MiB, CPU ${cpuMs.toFixed(1)} ms each  load average ${loadAverage().toFixed(1)}`
    )
    return result
  }
  await inTurns([list(server, NODES), list(floor, LIST_ON_FLOOR)], (ours, least) =>
    [`p50 ${(ours.p50Ms / least.p50Ms).toFixed(2)}`, `CPU ${(ours.cpuMs / least.cpuMs).toFixed(2)}`].join(", ")
  )
}

const lagLine = (what: string, { events, expected, p50Ms, p99Ms }: LagResult): void =>
  say(
    `  ${what.padEnd(34)} p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ` +
      `${figure(events)} of ${figure(expected)} events  load average ${loadAverage().toFixed(1)}`
  )

/** Measures when watchers see renewals; the floor sends each event to all of them from one buffer. */
export const lagsInTurns = async (server: Running, floor: Running, nodes: number, seconds: number): Promise<void> => {
  say(`\nWatch lag at ${RENEWALS_PER_SECOND} renewals per second`)
  const renewals = new Map([server, floor].map((running) => [running, new Renewals(nodes)]))
  const lag = (running: Running, watchers: number, own: boolean) => async () => {
    const load = { target: running.target, leases: nodes, perSecond: RENEWALS_PER_SECOND, seconds, watchers, own }
    const result = await watchLag({ ...load, renewals: renewals.get(running) as Renewals })
    const watched = own ? "each watching their own" : "watching all"
    lagLine(`${running.name}, ${figure(watchers)} ${watched}`, result)
    return result
  }
  for (const watchers of WATCHERS) {
    await inTurns([lag(server, watchers, false), lag(floor, watchers, false)], (ours, least) =>
      [`p50 ${(ours.p50Ms / least.p50Ms).toFixed(2)}`, `p99 ${(ours.p99Ms / least.p99Ms).toFixed(2)}`].join(", ")
    )
  }
  await lag(server, nodes, true)()
}
