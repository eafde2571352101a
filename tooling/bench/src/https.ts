import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openPki } from "@rollcall/pki"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { leasePuts } from "./load/leases.ts"
import { type LoadResult, putLoad } from "./load/putLoad.ts"

export const CONNECTIONS = [1, 32, 256] as const

/** Renewals per second of the floor program, by connections. */
export const benchHttpsFloor = async (seconds: number): Promise<ReadonlyArray<LoadResult>> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  await Effect.runPromise(Effect.flatMap(Clock.currentTimeMillis, (nowMs) => openPki({ folder, nowMs, names: [] })))
  const [ca, certificate, key] = ["ca.crt", "apiserver.crt", "apiserver.key"].map((name) => join(folder, name))
  const program = fileURLToPath(new URL("./floor/httpsSqlite.ts", import.meta.url))
  const server = spawn(process.execPath, [program, join(folder, "floor.db"), certificate ?? "", key ?? ""], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.stdout.once("data", (text: Buffer) => resolve(Number(text.toString())))
      server.once("exit", () => reject(new Error("the floor program ended")))
    })
    const target = { host: "127.0.0.1", port, ca: readFileSync(ca ?? "", "utf8"), headers: "" }
    const results: Array<LoadResult> = []
    for (const connections of CONNECTIONS) {
      results.push(await putLoad({ target, connections, seconds, put: leasePuts(5000) }))
    }
    return results
  } finally {
    server.kill()
    rmSync(folder, { recursive: true })
  }
}

const line = (connections: number, { p50Ms, p99Ms, perSecond, refused }: LoadResult): string =>
  `  ${`${connections} connections`.padEnd(20)} ${Math.round(perSecond).toLocaleString("en-US").padStart(9)} /s   ` +
  `p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms   refused ${refused}\n`

/** What a bare HTTPS server over group-committed SQLite does with Lease renewals on this machine. */
export const benchHttps = async (): Promise<void> => {
  const results = await benchHttpsFloor(5)
  process.stdout.write("\nDurable Lease PUTs over HTTPS: the floor (node:https, group-committed SQLite)\n")
  for (const [index, connections] of CONNECTIONS.entries()) {
    process.stdout.write(line(connections, results[index] as LoadResult))
  }
}
