import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createServer, type TLSSocket } from "node:tls"
import { Worker } from "node:worker_threads"
import { PlainConnection, type PlainServer } from "@rollcall/streams/http1"
import { createNode, LEASES, leaseText, nodeName } from "../load/objects.ts"
import { say } from "../server/lines.ts"
import { newFolder, removeFolder } from "../server/programs.ts"

const COUNT = 20_000
const ROUNDS = 3
const CONNECTIONS = 32
/** How many requests share a message: one on a quiet server, some on a busy one. */
const BATCHES = [1, 8] as const

const body = leaseText(nodeName(1), "1000", "2026-01-01T00:00:00.000000Z")

/** Returns the processor time of this thread, in microseconds. */
const threadMicros = (): number => {
  const { system, user } = process.threadCpuUsage()
  return system + user
}

const pathOf = (file: string) => new URL(file, import.meta.url)

/** Answers requests that come over TLS in this thread. */
const overTls = async (folder: string): Promise<number> => {
  const read = (name: string) => readFileSync(join(folder, "pki", name), "utf8")
  const plain: PlainServer = {
    handle: (_, response) => void response.setHeader("Content-Type", "application/json").end(body),
    handOver: (socket) => void socket.destroy(),
    refuses: () => false,
    statusTexts: { 200: "OK" },
    commonLines: () => "",
    keepAliveSeconds: 90
  }
  const options = { cert: read("apiserver.crt"), key: read("apiserver.key"), ALPNProtocols: ["http/1.1"] }
  const server = createServer(options, (socket: TLSSocket) => void new PlainConnection(socket, plain))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const target = { host: "127.0.0.1", port, ca: read("ca.crt"), headers: "Authorization: Bearer bench\r\n" }
  const request = { method: "PUT", path: `${LEASES}/${nodeName(1)}`, body }
  const work = { target, connections: CONNECTIONS, count: COUNT, request }
  const before = threadMicros()
  await once(new Worker(pathOf("./client.ts"), { workerData: work }), "message")
  const taken = threadMicros() - before
  server.close()
  return taken / COUNT
}

/** Answers requests that another thread has read. */
const overMessages = async (batch: number): Promise<number> => {
  const worker = new Worker(pathOf("./front.ts"), { workerData: { batch, body, count: COUNT } })
  const before = threadMicros()
  await new Promise<void>((resolve) => {
    worker.on("message", (bodies: ReadonlyArray<string> | "done") => {
      if (bodies === "done") resolve()
      else worker.postMessage(bodies)
    })
  })
  const taken = threadMicros() - before
  await worker.terminate()
  return taken / COUNT
}

const inThisThread = (act: () => unknown) => async (): Promise<number> => {
  for (let at = 0; at < COUNT; at++) act()
  const before = threadMicros()
  for (let at = 0; at < COUNT; at++) act()
  return (threadMicros() - before) / COUNT
}

/** What a thread for TLS, HTTP or JSON would save the main one, and what it would cost it. */
export const benchThreads = async (): Promise<void> => {
  const folder = await newFolder()
  const node = createNode(1).body
  const object: unknown = JSON.parse(node)
  const contenders: ReadonlyArray<readonly [string, () => Promise<number>]> = [
    ["TLS and HTTP of a Lease's PUT and its answer", () => overTls(folder)],
    ...BATCHES.map((batch) => [`the same as messages, ${batch} in each`, () => overMessages(batch)] as const),
    ["JSON of a Lease, read and written", inThisThread(() => JSON.stringify(JSON.parse(body)))],
    ["JSON of a Node, read and written", inThisThread(() => JSON.stringify(JSON.parse(node)))],
    ["a Node cloned, as a message would", inThisThread(() => structuredClone(object))]
  ]
  say("\nProcessor time of the main thread for each request, the least of three rounds in turns")
  const least = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of contenders)
      least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, await run()))
  }
  for (const [name, micros] of least) say(`  ${name.padEnd(52)} ${micros.toFixed(1).padStart(6)} µs`)
  removeFolder(folder)
}
