import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { openPki } from "@rollcall/pki"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HttpClient, type Target } from "../load/HttpClient.ts"

/** A server in a separate process. */
export interface Running {
  readonly name: string
  readonly target: Target
  readonly processId: number
  /** The time from exec to its first response. */
  readonly startSeconds: number
  readonly stop: () => Promise<void>
}

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const LIMIT_MS = 30_000
const POLL_MS = 5
const HOST = "127.0.0.1"
const TOKEN = "bench"

/** Returns the key folder of `rollcall apiserver`. */
const keysOf = (folder: string): string => join(folder, "pki")

/** Creates a folder with the keys of servers; a server that is started again in it finds its old data. */
export const newFolder = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const keys = keysOf(folder)
  await Effect.runPromise(
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => openPki({ folder: keys, nowMs, names: [] }))
  )
  writeFileSync(join(folder, "tokens.csv"), `${TOKEN},bench,bench,"system:masters"\n`)
  return folder
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true })

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, HOST, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Whether the server answers with 200. */
const isReady = async (target: Target, path: string): Promise<boolean> => {
  try {
    const client = await HttpClient.open(target)
    return await new Promise<boolean>((resolve) =>
      client.send({ method: "GET", path, body: "" }, (code) => {
        client.close()
        resolve(code === 200)
      })
    )
  } catch {
    return false
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })

const start = async (
  name: string,
  folder: string,
  readyPath: string,
  command: (port: number) => ReadonlyArray<string>
): Promise<Running> => {
  const port = await freePort()
  const ca = readFileSync(join(keysOf(folder), "ca.crt"), "utf8")
  const target = { host: HOST, port, ca, headers: `Authorization: Bearer ${TOKEN}\r\n` }
  const from = performance.now()
  const child = spawn(process.execPath, [...command(port)], { stdio: "ignore" })
  while (!(await isReady(target, readyPath))) {
    if (child.exitCode !== null || performance.now() - from > LIMIT_MS) {
      child.kill("SIGKILL")
      throw new Error(`${name} did not start`)
    }
    await sleep(POLL_MS)
  }
  const startSeconds = (performance.now() - from) / 1000
  const stop = () => {
    child.kill("SIGTERM")
    return ended(child)
  }
  return { name, target, processId: child.pid ?? 0, startSeconds, stop }
}

const APP = pathOf("../../../../apps/cli/")

/** Builds the program as it is published, and returns its path. */
export const buildProgram = (): string => {
  execFileSync(process.execPath, [pathOf("../../../start/src/buildApp.mjs")], { cwd: APP })
  return join(APP, "dist/main.js")
}

/** `rollcall apiserver`, with more flags: from its source, or the program at a path. */
export const startServer = (
  folder: string,
  more: ReadonlyArray<string> = [],
  program = join(APP, "src/main.ts")
): Promise<Running> =>
  start("rollcall apiserver", folder, "/readyz", (port) => [
    program,
    "apiserver",
    ...["--data-dir", folder, "--secure-port", String(port), "--token-auth-file", join(folder, "tokens.csv")],
    ...more
  ])

/** Starts the floor: a minimal program with HTTPS, JSON and group-committed SQLite. */
export const startFloor = (folder: string): Promise<Running> =>
  start("floor", folder, "/", (port) => [
    pathOf("../floor/httpsSqlite.ts"),
    join(folder, "floor.db"),
    ...["apiserver.crt", "apiserver.key"].map((file) => join(keysOf(folder), file)),
    String(port)
  ])
