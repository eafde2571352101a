import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type ClientConfig, clientConfig, loadKubeconfig, makeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Program, run, startProgram } from "./Program.ts"

const MAIN = "../../../../apps/cli/src/main.ts"

/** The entry file of the command line tool: node runs it directly, so that signals reach it and not a wrapper. */
export const TOOL = fileURLToPath(new URL(MAIN, import.meta.url))

/** Starts `rollcall …` as a separate process. */
export const startRollcall = (...args: ReadonlyArray<string>) => startProgram(process.execPath, [TOOL, ...args])

/** Starts `rollcall …` as a separate process with additional environment variables. */
export const startRollcallUnder = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  startProgram("env", [...Object.entries(environment).map((entry) => entry.join("=")), process.execPath, TOOL, ...args])

/** Runs `rollcall …` to its end. */
export const rollcall = (...args: ReadonlyArray<string>) => run(process.execPath, TOOL, ...args)

/** Returns the client settings of a kubeconfig file. */
export const configOf = (file: string): Effect.Effect<ClientConfig> =>
  loadKubeconfig({ file, kubeconfig: undefined, defaultFile: file }).pipe(
    Effect.flatMap((loaded) => clientConfig(loaded)),
    Effect.orDie
  )

export interface ClientOptions {
  readonly maxSockets?: number
  readonly requestTimeoutMs?: number
  readonly http2?: boolean
}

/** Opens a connection without rate limits and retries; the scope closes it. */
export const connectionTo = Effect.fnUntraced(function* (config: ClientConfig, options: ClientOptions = {}) {
  const timers = yield* Timers
  return yield* Effect.acquireRelease(
    Effect.sync(() => makeConnection({ config, timers, userAgent: "rollcall-live/v1", maxRetries: 0, ...options })),
    ({ close }) => Effect.sync(close)
  )
})

/** Returns a port that is free now. Another process may take it before it is used. */
export const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { readonly port: number }
    server.close(() => resume(Effect.succeed(port)))
  })
})

const READY_POLL_INTERVAL_MS = 10
const READY_TIMEOUT_MS = 60_000

/**
 * Waits until the server at this port answers 200 to `/readyz`. Returns false if its process ended first. Dies after a
 * minute with the server's last answer.
 */
export const becomesReady = (port: number, hasEnded: () => boolean): Effect.Effect<boolean, never, Timers> =>
  Effect.gen(function* () {
    // The CA is not known yet; that does not matter, because health is public and no credentials are sent.
    const server = `https://127.0.0.1:${port}`
    const config: ClientConfig = { server, tls: { insecure: true }, auth: { type: "none" }, namespace: "default" }
    const { raw } = yield* connectionTo(config, { requestTimeoutMs: 2000 })
    let answer = "none"
    const isReady = Effect.callback<boolean>((resume) => {
      const cancel = raw({ method: "GET", path: "/readyz" }, (result) => {
        answer = Result.isSuccess(result) ? `${result.success.code} ${result.success.body}` : result.failure.message
        resume(Effect.succeed(Result.isSuccess(result) && result.success.code === 200))
      })
      return Effect.sync(cancel)
    })
    const deadlineMs = (yield* Clock.currentTimeMillis) + READY_TIMEOUT_MS
    while (!(yield* isReady)) {
      if (hasEnded()) return false
      if ((yield* Clock.currentTimeMillis) > deadlineMs) {
        return yield* Effect.die(new Error(`not ready after ${READY_TIMEOUT_MS} ms, the last answer: ${answer}`))
      }
      yield* Effect.sleep(READY_POLL_INTERVAL_MS)
    }
    return true
  }).pipe(Effect.scoped)

export interface ServerOptions {
  readonly folder: string
  readonly port: number
  readonly args?: ReadonlyArray<string>
}

/** A separate API server process. */
export interface StartedServer {
  readonly program: Program
  readonly startedMs: number
  readonly kubeconfig: string
}

/** Starts an API server and does not wait until it is ready. */
export const startServer = Effect.fnUntraced(function* ({ args = [], folder, port }: ServerOptions) {
  const startedMs = yield* Clock.currentTimeMillis
  const program = yield* startRollcall("apiserver", "--data-dir", folder, "--secure-port", String(port), ...args)
  const started: StartedServer = { program, startedMs, kubeconfig: join(folder, "admin.conf") }
  return started
})

/** Starts an API server and waits until it is ready; also returns the milliseconds from exec to `/readyz`. */
export const readyServer = Effect.fnUntraced(function* (options: ServerOptions) {
  const server = yield* startServer(options)
  if (!(yield* becomesReady(options.port, server.program.hasEnded))) {
    return yield* Effect.die(new Error(`the server ended:\n${server.program.stderr()}`))
  }
  return { ...server, readyMs: (yield* Clock.currentTimeMillis) - server.startedMs }
})

/** Creates a temporary folder; closing the scope removes it. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-live-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
