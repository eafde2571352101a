import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { request } from "node:https"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { makeFolder } from "./cli.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Started {
  readonly server: ChildProcess
  readonly ended: Promise<ReadonlyArray<unknown>>
  /** Returns the code of the answer, and "gone" if there is none. */
  readonly get: (path: string) => Promise<number | "gone">
}

const startServer = async (folder: string, ...flags: ReadonlyArray<string>): Promise<Started> => {
  const args = [main, "apiserver", `--data-dir=${folder}`, "--secure-port=0", ...flags]
  const server = spawn(process.execPath, args, { stdio: "ignore" })
  const ended = once(server, "exit")
  const file = `${folder}/admin.conf`
  while (!existsSync(file)) await pause(50)
  const kubeconfig = readFileSync(file, "utf8")
  const of = (name: string) => new RegExp(`${name}: "?([^\\s"]+)`).exec(kubeconfig)?.[1] ?? ""
  const pem = (name: string) => Buffer.from(of(name), "base64")
  const [ca, cert, key] = ["certificate-authority-data", "client-certificate-data", "client-key-data"].map(pem)
  const get = (path: string) =>
    new Promise<number | "gone">((resolve) => {
      const sent = request(`${of("server")}${path}`, { ca, cert, key, agent: false }, (response) => {
        response.resume()
        response.on("close", () => resolve(response.statusCode ?? 0))
      })
      sent.on("error", () => resolve("gone"))
      sent.end()
    })
  return { server, ended, get }
}

describe("rollcall apiserver after SIGTERM", { timeout: 60_000 }, () => {
  const folder = makeFolder({})

  it("is not ready, serves for the delay, ends watches and exits with 0", async () => {
    const { ended, get, server } = await startServer(folder("first"), "--shutdown-delay-duration=1500ms")
    assert.strictEqual(await get("/readyz"), 200)
    let isWatchOver = false
    const watch = get("/api/v1/namespaces?watch=1").then((code) => {
      isWatchOver = true
      return code
    })
    const signalledMs = performance.now()
    server.kill("SIGTERM")
    while ((await get("/readyz")) === 200) await pause(10)
    assert.strictEqual(await get("/readyz"), 500)
    assert.strictEqual(await get("/api/v1/namespaces/default"), 200)
    assert.isFalse(isWatchOver)
    assert.strictEqual(await watch, 200)
    assert.isAtLeast(performance.now() - signalledMs, 1400)
    assert.deepStrictEqual(await ended, [0, null])
    assert.strictEqual(await get("/readyz"), "gone")
  })

  it("ends at once after a second one", async () => {
    const { ended, get, server } = await startServer(folder("second"), "--shutdown-delay-duration=5m")
    server.kill("SIGTERM")
    while ((await get("/readyz")) === 200) await pause(10)
    server.kill("SIGTERM")
    assert.deepStrictEqual(await ended, [1, null])
  })
})
