import { setTimeout as sleep } from "node:timers/promises"
import type { TLSSocket } from "node:tls"
import { HttpClient, openSocket, requestText, type Target } from "../load/HttpClient.ts"
import { LEASES, nodeName } from "../load/objects.ts"
import { readTimes } from "../load/readTimes.ts"
import { nowMs, type Renewals } from "../load/renewals.ts"
import { share } from "../load/runLoad.ts"

const CONNECTIONS = 16
const OPENED_AT_ONCE = 100

export interface LagLoad {
  readonly target: Target
  readonly renewals: Renewals
  readonly leases: number
  readonly watchers: number
  /** True: each watches its own Lease, as a kubelet watches its own. False: each watches them all. */
  readonly own: boolean
  readonly perSecond: number
  readonly seconds: number
}

export interface LagResult {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly events: number
  readonly expected: number
}

const openWatches = async (
  { own, target, watchers }: LagLoad,
  revision: string,
  tell: (sentMs: number, readMs: number) => void
) => {
  const sockets: Array<TLSSocket> = []
  while (sockets.length < watchers) {
    const count = Math.min(OPENED_AT_ONCE, watchers - sockets.length)
    const opened = await Promise.all(Array.from({ length: count }, () => openSocket(target, readTimes(tell))))
    for (const socket of opened) {
      const field = own ? `&fieldSelector=metadata.name%3D${nodeName(sockets.length)}` : ""
      socket.on("error", () => socket.destroy())
      const path = `${LEASES}?watch=1&timeoutSeconds=600&resourceVersion=${revision}${field}`
      socket.write(requestText(target, { method: "GET", path, body: "" }))
      sockets.push(socket)
    }
  }
  return sockets
}

/** Measures the delay between a renewal and its watch event, at a steady rate. */
export const watchLag = async (load: LagLoad): Promise<LagResult> => {
  const { leases, own, perSecond, renewals, seconds, target, watchers } = load
  const lags: Array<number> = []
  const revision = await renewals.learn(target)
  let events = 0
  let startedMs = Number.POSITIVE_INFINITY
  // With many watchers a tenth of their events is enough for the percentiles, and saves processor time for the server.
  const every = own ? 1 : Math.max(1, Math.floor(watchers / 10))
  const sockets = await openWatches(load, revision, (sentMs, readMs) => {
    if (sentMs < startedMs) return
    if (events++ % every === 0) lags.push(readMs - sentMs)
  })
  await sleep(2000)
  const clients = await HttpClient.openAll(target, CONNECTIONS)
  startedMs = Math.floor(nowMs())
  const total = perSecond * seconds
  let sent = 0
  const keepSending = async (client: HttpClient) => {
    while (sent < total) {
      const number = sent++
      const waitMs = startedMs + (number * 1000) / perSecond - nowMs()
      if (waitMs > 1) await sleep(waitMs)
      const step = renewals.step(number % leases)
      await new Promise<void>((resolve) =>
        client.send(step.request, (code, body) => {
          step.answered?.(code, body)
          resolve()
        })
      )
    }
  }
  await Promise.all(clients.map(keepSending))
  await sleep(1500)
  for (const socket of sockets) socket.destroy()
  for (const client of clients) client.close()
  lags.sort((left, right) => left - right)
  return { p50Ms: share(lags, 0.5), p99Ms: share(lags, 0.99), events, expected: own ? total : total * watchers }
}
