import type { Answered } from "./AnswerReader.ts"
import { HttpClient, type Request, type Target } from "./HttpClient.ts"
import { cpuSeconds } from "./processFigures.ts"

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The number of responses other than 200 and 201. */
  readonly refused: number
  /** The processor time of the server for a request, in microseconds. */
  readonly cpuMicros: number
}

/** A request, with a callback for its response. */
export interface Step {
  readonly request: Request
  readonly answered?: Answered
}

export interface Load {
  readonly target: Target
  readonly processId: number
  readonly connections: number
  /** Returns the next request of a connection; undefined: it is done. */
  readonly next: (connection: number, elapsedMs: number) => Step | undefined
}

export const share = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** Returns the figures of a load: the latencies of what was answered well, the refused, and the seconds and processor seconds that it took. */
export const resultOf = (
  latencies: Array<number>,
  refused: number,
  elapsedSeconds: number,
  cpu: number
): LoadResult => {
  latencies.sort((left, right) => left - right)
  return {
    perSecond: latencies.length / elapsedSeconds,
    p50Ms: share(latencies, 0.5),
    p99Ms: share(latencies, 0.99),
    refused,
    cpuMicros: (cpu / Math.max(1, latencies.length + refused)) * 1e6
  }
}

/** Sends requests over concurrent connections, one at a time on each. */
export const runLoad = async ({ connections, next, processId, target }: Load): Promise<LoadResult> => {
  const clients = await HttpClient.openAll(target, connections)
  const latencies: Array<number> = []
  let refused = 0
  const cpuBefore = cpuSeconds(processId)
  const start = performance.now()
  const keepSending = (client: HttpClient, connection: number) =>
    new Promise<void>((resolve) => {
      const send = () => {
        const from = performance.now()
        const step = next(connection, from - start)
        if (step === undefined) return resolve()
        client.send(step.request, (code, body) => {
          if (code === 200 || code === 201) latencies.push(performance.now() - from)
          else refused++
          step.answered?.(code, body)
          if (code === 0) resolve()
          else send()
        })
      }
      send()
    })
  await Promise.all(clients.map(keepSending))
  const elapsed = (performance.now() - start) / 1000
  const cpu = cpuSeconds(processId) - cpuBefore
  for (const client of clients) client.close()
  return resultOf(latencies, refused, elapsed, cpu)
}

/** Returns a load of `count` requests, shared by all connections. */
export const each = (count: number, request: (number: number) => Request): Load["next"] => {
  let number = 0
  return () => (number < count ? { request: request(number++) } : undefined)
}
