import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import * as Effect from "effect/Effect"

/** How long etcd has to carry out what it got before the connection is lost: far longer than it takes. */
const CARRY_OUT_MS = 500

export interface Cutter {
  readonly url: string
  /** Loses the connection when the next request is carried out, and before its answer. */
  readonly cutNext: () => void
  /** Loses the connection with the next request, which is not carried out. */
  readonly dropNext: () => void
  /** How many connections were lost. */
  readonly cuts: () => number
}

/** Starts a proxy in front of an endpoint. */
export const startCutter = (target: string) =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(target)
    const sockets = new Set<Socket>()
    let isArmed = false
    let isDropping = false
    let cuts = 0
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname)
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          client.destroy()
          upstream.destroy()
          sockets.delete(socket)
        })
      }
      let isCut = false
      client.on("data", (data) => {
        if (isDropping) {
          isDropping = false
          cuts++
          client.destroy()
          return
        }
        upstream.write(data)
        if (!isArmed) return
        isArmed = false
        isCut = true
        cuts++
        void wait(CARRY_OUT_MS).then(() => client.destroy())
      })
      upstream.on("data", (data) => {
        if (!isCut) client.write(data)
      })
    }).listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
    )
    const cutter: Cutter = {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      cuts: () => cuts,
      dropNext: () => {
        isDropping = true
      },
      cutNext: () => {
        isArmed = true
      }
    }
    return cutter
  })
