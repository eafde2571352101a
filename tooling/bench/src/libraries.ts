import { execFileSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { readdirSync, statSync } from "node:fs"
import http, { type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { dump, YAML11_SCHEMA } from "js-yaml"
import { stringify, type ToStringOptions } from "yaml"
import { say } from "./server/lines.ts"

const ROUNDS = 3

const line = (name: string, figures: string): void => say(`  ${name.padEnd(44)} ${figures}`)

/** A module of a package that exports it to no other. */
const own = (path: string) => import(new URL(`../../../packages/${path}`, import.meta.url).href)

/** The best of some rounds, milliseconds. */
const best = async (work: () => unknown): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now()
    await work()
    least = Math.min(least, performance.now() - startMs)
  }
  return least
}

/** What loading a module costs a process that has `before`: milliseconds, and MiB of resident memory. */
const loading = (module: string, before = "node:http"): string => {
  const script = `await import(${JSON.stringify(before)});const [t,m]=[performance.now(),process.memoryUsage.rss()];await import(${JSON.stringify(module)});
console.log(Math.round(performance.now()-t)+" ms, "+((process.memoryUsage.rss()-m)/1048576).toFixed(1)+" MiB")`
  const cwd = new URL("..", import.meta.url)
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" }).trim()
}

const pod = (index: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `web-${index}`,
    namespace: "default",
    labels: { app: "web", on: "yes", version: "1e3" },
    annotations: { note: "two\nlines\n", empty: "" },
    creationTimestamp: "2026-01-01T00:00:00Z"
  },
  spec: {
    containers: [
      { name: "c", image: "registry/app:1.0", args: ["--a=b", "- x: y", "0x10"], ports: [{ containerPort: 80 }] }
    ]
  },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], containerStatuses: [] }
})

const benchYaml = async () => {
  const { writeYaml } = await own("yaml/src/index.ts")
  const list = { apiVersion: "v1", kind: "PodList", items: Array.from({ length: 2000 }, (_, index) => pod(index)) }
  const ours = (): string => writeYaml(list)
  const style = {
    schema: YAML11_SCHEMA,
    lineWidth: -1,
    sortKeys: true,
    noRefs: true,
    seqNoIndent: true,
    quoteStyle: "double"
  }
  const options = { version: "1.1", lineWidth: 0, sortMapEntries: true, aliasDuplicateObjects: false, indentSeq: false }
  const expected = ours()
  const printers: ReadonlyArray<readonly [string, () => string]> = [
    ["@rollcall/yaml", ours],
    ["js-yaml", () => dump(list, style as Parameters<typeof dump>[1])],
    ["yaml", () => stringify(list, null, options as ToStringOptions)]
  ]
  say("\nA list of 2,000 pods as YAML")
  for (const [name, print] of printers) {
    const ms = await best(print)
    line(name, `${ms.toFixed(0)} ms, ${print() === expected ? "as sigs.k8s.io/yaml" : "other text"}`)
  }
}

const TOKENS = 1000

const benchTokens = async () => {
  const { isSignedBy, signJwt, signingKey, verifyingKey } = await own("api-server/src/security/authentication/jwt.ts")
  const { importSPKI, jwtVerify } = await import("jose")
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = verifyingKey(publicKey.export({ type: "spki", format: "pem" }))
  const joseKey = await importSPKI(String(publicKey.export({ type: "spki", format: "pem" })), "ES256")
  const token: string = signJwt(signingKey(privateKey.export({ type: "pkcs8", format: "pem" })), { sub: "a" })
  const ours = await best(() => {
    for (let count = 0; count < TOKENS; count++) isSignedBy(token, [key])
  })
  const jose = await best(async () => {
    for (let count = 0; count < TOKENS; count++) await jwtVerify(token, joseKey)
  })
  say("\nA token's ES256 signature verified")
  line("api-server, in the call", `${(ours / TOKENS).toFixed(3)} ms`)
  line("jose, in another thread", `${(jose / TOKENS).toFixed(3)} ms; to load: ${loading("jose")}`)
}

const REQUESTS = 8000
const CONNECTIONS = 32
const BODY = JSON.stringify({ kind: "Lease", filler: "x".repeat(900) })

/** Requests per second with so many at a time, and the CPU time of client and server for each. */
const drive = async (ask: (done: () => void) => void): Promise<string> => {
  let cpu = process.cpuUsage()
  const run = () =>
    new Promise<void>((resolve) => {
      let [sent, answered] = [0, 0]
      const next = () => {
        if (sent++ >= REQUESTS) return
        ask(() => {
          if (++answered === REQUESTS) resolve()
          else next()
        })
      }
      for (let count = 0; count < CONNECTIONS; count++) next()
    })
  const ms = await best(() => {
    cpu = process.cpuUsage()
    return run()
  })
  const { system, user } = process.cpuUsage(cpu)
  return `${Math.round((REQUESTS / ms) * 1000)}/s, ${((system + user) / REQUESTS).toFixed(0)} µs of CPU each`
}

const benchClients = async () => {
  const { Pool } = await import("undici")
  const answer: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(BODY)
  }
  const server = http.createServer(answer)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS })
  say(`\nRequests of 1 kB over HTTP, ${CONNECTIONS} at a time, client and server in one process`)
  const viaNode = await drive((done) => {
    const request = http.request({ host: "127.0.0.1", port, agent }, (response) => {
      response.on("data", () => undefined)
      response.on("end", done)
    })
    request.end()
  })
  line("node:http, as kube-client", viaNode)
  const viaUndici = await drive((done) => {
    void pool.request({ path: "/", method: "GET" }).then(async ({ body }) => {
      await body.text()
      done()
    })
  })
  line("undici", `${viaUndici}; to load: ${loading("undici")}`)
  await pool.close()
  agent.destroy()
  await new Promise<void>((resolve) => void server.close(() => resolve()))
}

const LOOKUPS = 300_000

const benchCaches = async () => {
  const { Lru } = await own("cluster/src/internal/Lru.ts")
  const { LRUCache } = await import("lru-cache")
  say("\nA cache of 4,096 that forgets the least recently used, one look-up")
  for (const keys of [4000, 6000]) {
    const run = (cache: { get: (key: string) => unknown; set: (key: string, value: number) => unknown }) =>
      best(() => {
        for (let count = 0; count < LOOKUPS; count++) {
          const key = `key-${(count * 7919) % keys}`
          if (cache.get(key) === undefined) cache.set(key, count)
        }
      })
    const [ours, theirs] = [await run(new Lru(4096)), await run(new LRUCache({ max: 4096 }))]
    const [each, eachOfTheirs] = [ours, theirs].map((ms) => `${((ms / LOOKUPS) * 1e6).toFixed(0)} ns`)
    line(`${keys} keys`, `cluster ${each}, lru-cache ${eachOfTheirs}`)
  }
}

/** Bytes of the files of a folder; what is linked into it belongs to another package. */
const sizeOf = (folder: URL): number => {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, folder)
    if (entry.isDirectory()) bytes += sizeOf(path)
    else if (entry.isFile()) bytes += statSync(path).size
  }
  return bytes
}

/** The packages that no other of the workspace is, by what they take on disk. */
const showInstalled = () => {
  const store = new URL("../../../node_modules/.pnpm/", import.meta.url)
  const found = new Map<string, number>()
  for (const entry of readdirSync(store)) {
    const name = /^(.+?)@\d/.exec(entry)?.[1]?.replace("+", "/")
    if (name === undefined || found.has(name)) continue
    found.set(name, sizeOf(new URL(`${entry}/node_modules/${name}/`, store)))
  }
  say("\nThe largest packages that are installed")
  const bySize = [...found].sort(([, left], [, right]) => right - left)
  for (const [name, bytes] of bySize.slice(0, 60)) line(name, `${(bytes / 1e6).toFixed(1)} MB`)
}

/** What of ours could be a library's, beside that library on this machine: the grounds of docs/dependencies.md. */
export const benchLibraries = async (): Promise<void> => {
  showInstalled()
  await benchYaml()
  await benchTokens()
  await benchClients()
  await benchCaches()
  say("\nTo load Effect's printer of metrics, into a process that counts them")
  line("effect/observability/PrometheusMetrics", loading("effect/observability/PrometheusMetrics", "@rollcall/time"))
}
