import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "rollcalld-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Line {
  readonly level: string
  readonly msg: string
  readonly address?: string
}

/** A stand-in for systemd-notify that records its arguments. */
const notifications = join(folder, "told")
writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$@" >> ${notifications}\n`)
chmodSync(join(folder, "systemd-notify"), 0o755)

const start = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...environment },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const lines: Array<string> = []
  let rest = ""
  const waiting = new Set<() => void>()
  child.stderr?.on("data", (chunk: Buffer) => {
    const parts = `${rest}${chunk}`.split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
    for (const look of waiting) look()
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const says = (message: string): Promise<Line> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const line = lines.map((text) => JSON.parse(text) as Line).find(({ msg }) => msg === message)
        if (line === undefined) return
        waiting.delete(look)
        resolve(line)
      }
      waiting.add(look)
      void ended.then(() => reject(new Error(`ended without: ${message}\n${lines.join("\n")}`)))
      look()
    })
  return { child, ended, lines, says }
}

const status = async (url: string): Promise<number> => (await fetch(url)).status

/** Starts a request whose body is sent in two parts, the second on demand. */
const beginPut = (address: string, kubeconfig: string) => {
  const of = (name: string) => new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? ""
  const pem = (name: string) => Buffer.from(of(name), "base64")
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" }, data: { a: "b" } })
  const sent = request(`${address}/api/v1/namespaces/default/configmaps`, {
    method: "POST",
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
    headers: { "Content-Type": "application/json", "Content-Length": body.length }
  })
  const answered = new Promise<number>((resolve, reject) => {
    sent.once("response", (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once("error", reject)
  })
  sent.write(body.slice(0, 20))
  return { answered, finish: () => sent.end(body.slice(20)) }
}

const stop = (child: ChildProcess) => child.kill("SIGTERM")

describe("rollcalld", () => {
  it("serves a cluster, reports readiness, and answers requests in flight before it ends", async () => {
    const file = join(folder, "rollcalld.yaml")
    const data = join(folder, "data")
    writeFileSync(file, `nodes: 2\nport: 0\ndataDir: ${data}\nmetricsAddress: 127.0.0.1:0\n`)
    const { child, ended, lines, says } = start({ NOTIFY_SOCKET: join(folder, "socket") }, "--config", file)
    const { address: metrics = "" } = await says("Serving /livez, /readyz and /metrics")
    assert.strictEqual(await status(`${metrics}/livez`), 200)
    const { address = "" } = await says("Nodes are Ready")
    assert.strictEqual(await status(`${metrics}/readyz`), 200)
    assert.include(await (await fetch(`${metrics}/metrics`)).text(), "workqueue_adds_total")
    const put = beginPut(address, readFileSync(join(data, "admin.conf"), "utf8"))
    await new Promise((resolve) => setTimeout(resolve, 300))
    stop(child)
    await new Promise((resolve) => setTimeout(resolve, 300))
    put.finish()
    assert.strictEqual(await put.answered, 201)
    assert.strictEqual(await ended, 0)
    for (const line of lines) assert.isObject(JSON.parse(line))
    const states = readFileSync(notifications, "utf8")
    assert.match(states, /--pid=\d+ READY=1 STATUS=2 of 2 nodes Ready at https:/)
    assert.match(states, /STOPPING=1\n$/)
  }, 60_000)

  it("continues if the service manager cannot be notified, with a log line", async () => {
    const { child, ended, says } = start({
      NOTIFY_SOCKET: join(folder, "socket"),
      PATH: "",
      ROLLCALLD_NODES: "1",
      ROLLCALLD_PORT: "0"
    })
    await says("Cannot notify the service manager")
    stop(child)
    assert.strictEqual(await ended, 0)
  }, 60_000)

  it("exits with 2 for an invalid setting, and with 1 if its port is in use", async () => {
    const wrong = start({ ROLLCALLD_SPEED: "0" })
    assert.strictEqual(await wrong.ended, 2)
    assert.include(wrong.lines.join("\n"), "environment: ROLLCALLD_SPEED: found 0, expected a number above 0")
    const first = start({ ROLLCALLD_NODES: "1", ROLLCALLD_PORT: "0" })
    const { address = "" } = await first.says("Nodes are Ready")
    const second = start({ ROLLCALLD_NODES: "1", ROLLCALLD_PORT: new URL(address).port })
    assert.strictEqual(await second.ended, 1)
    assert.include(second.lines.join("\n"), "ROLLCALLD_PORT")
    stop(first.child)
    assert.strictEqual(await first.ended, 0)
  }, 60_000)
})
