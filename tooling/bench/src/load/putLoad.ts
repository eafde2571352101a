import { LeaseClient, type Put, type Target } from "./LeaseClient.ts"

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers other than 200 and 201. */
  readonly refused: number
}

export interface Load {
  readonly target: Target
  readonly connections: number
  readonly seconds: number
  readonly put: (number: number) => Put
}

/** Puts over so many connections at once, for so long. */
export const putLoad = async ({ connections, put, seconds, target }: Load): Promise<LoadResult> => {
  const clients = await Promise.all(Array.from({ length: connections }, () => LeaseClient.open(target)))
  const latencies: Array<number> = []
  let refused = 0
  let number = 0
  const start = performance.now()
  const until = start + seconds * 1000
  const keepPutting = (client: LeaseClient) =>
    new Promise<void>((resolve) => {
      const next = () => {
        const from = performance.now()
        client.put(put(number++), (code) => {
          const now = performance.now()
          if (code === 200 || code === 201) latencies.push(now - from)
          else refused++
          if (code === 0 || now >= until) resolve()
          else next()
        })
      }
      next()
    })
  await Promise.all(clients.map(keepPutting))
  const elapsed = (performance.now() - start) / 1000
  for (const client of clients) client.close()
  latencies.sort((left, right) => left - right)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { perSecond: latencies.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), refused }
}
