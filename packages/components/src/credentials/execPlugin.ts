import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import type { ExecPlugin, PluginExit } from "@rollcall/kubelet"
import * as Result from "effect/Result"

/** Upstream: pkg/credentialprovider/plugin/plugin.go, ExecPlugin. */
const TIMEOUT_MS = 60_000
/** What a plugin may write. */
const MAX_OUTPUT = 1024 * 1024
const MAX_ERRORS = 16 * 1024

/** How a process ends is one of these; the first counts. */
interface Limits {
  readonly timeoutMs: number
  readonly maxOutput: number
}

const exitText = (code: number | null, signal: string | null): string =>
  code === null ? `signal: ${signal}` : `exit status ${code}`

/** Collects the first bytes that a stream writes, up to a limit. */
const collector = (max: number, full: () => void) => {
  const pieces: Array<Buffer> = []
  let size = 0
  return {
    take: (piece: Buffer): void => {
      if (size < max) pieces.push(piece.subarray(0, max - size))
      size += piece.length
      if (size > max) full()
    },
    text: (): string => Buffer.concat(pieces).toString("utf8")
  }
}

/**
 * Runs the credential plugins of a folder as processes. One that runs too long, or writes too much, is killed, and what
 * it has left behind is not waited for.
 */
export const execPluginIn =
  (folder: string, { maxOutput, timeoutMs }: Limits = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT }): ExecPlugin =>
  ({ args, env, name }, request, done) => {
    let child: ChildProcess | undefined
    let isOver = false
    const end = (exit: PluginExit): void => {
      if (isOver) return
      isOver = true
      child?.kill("SIGKILL")
      for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy()
      done(exit)
    }
    const stderr = collector(MAX_ERRORS, () => undefined)
    const fail = (error: string): void => end(Result.fail({ error, stderr: stderr.text() }))
    const stdout = collector(maxOutput, () => fail(`more than ${maxOutput} bytes of output`))
    const own = Object.fromEntries(env.map((variable) => [variable.name, variable.value]))
    try {
      child = spawn(join(folder, name), args, { env: { ...process.env, ...own }, stdio: "pipe" })
    } catch (error) {
      // An argument that no process can have.
      return fail(error instanceof Error ? error.message : String(error))
    }
    // First, since a process without a file left for its pipes has none of them.
    child.on("error", (error) => fail(error.message))
    child.stdout?.on("data", stdout.take)
    child.stderr?.on("data", stderr.take)
    // A plugin need not read its input.
    child.stdin?.on("error", () => undefined)
    child.on("close", (code, signal) =>
      code === 0 ? end(Result.succeed(stdout.text())) : fail(exitText(code, signal))
    )
    AbortSignal.timeout(timeoutMs).addEventListener("abort", () => fail("context deadline exceeded"))
    child.stdin?.end(request)
  }
