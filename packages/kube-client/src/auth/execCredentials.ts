import { spawn } from "node:child_process"
import { ConnectionError } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Auth } from "../ClientConfig.ts"
import type { Credential, Credentials } from "./Credentials.ts"
import { execInfo, type PluginCredential, readExecCredential } from "./ExecCredential.ts"

export interface ExecOptions {
  /** The environment that plugins inherit: PATH, HOME. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Whether a plugin may prompt the user at the terminal. */
  readonly interactive?: boolean
}

const MAX_OUTPUT_CHARACTERS = 1 << 20
const PLUGIN_TIMEOUT_MS = 60_000

type CredentialResult = Result.Result<Credential, ConnectionError>

/**
 * Credentials from an exec plugin. It runs when the first credential is needed, when the last one has expired, and
 * after the server rejected it. Requests made while it runs wait for it. Upstream:
 * client-go/plugin/pkg/client/auth/exec/exec.go.
 */
export const execCredentials = (
  { cluster, exec }: Extract<Auth, { type: "exec" }>,
  timers: TimersShape,
  { environment = {}, interactive = false }: ExecOptions
): Credentials => {
  let current: PluginCredential | undefined
  let pendingReplies: Array<(result: CredentialResult) => void> = []

  const finishRun = (result: Result.Result<PluginCredential, string>) => {
    const replies = pendingReplies
    pendingReplies = []
    if (Result.isSuccess(result)) current = result.success
    const hint = Result.isFailure(result) && exec.installHint !== undefined ? `\n${exec.installHint}` : ""
    const credential: CredentialResult = Result.isSuccess(result)
      ? Result.succeed(result.success.credential)
      : Result.fail(new ConnectionError({ message: `the credential plugin ${exec.command} ${result.failure}${hint}` }))
    for (const reply of replies)
      guarded(timers, "credential plugin", () => reply(credential), { command: exec.command })
  }

  const run = () => {
    const mode = exec.interactiveMode ?? "IfAvailable"
    if (mode === "Always" && !interactive) return finishRun(Result.fail("needs a terminal (interactiveMode: Always)"))
    const usesTerminal = interactive && mode !== "Never"
    const added = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]))
    const start = () =>
      spawn(exec.command, [...(exec.args ?? [])], {
        env: { ...environment, ...added, KUBERNETES_EXEC_INFO: execInfo(exec, cluster, usesTerminal) },
        stdio: [usesTerminal ? "inherit" : "ignore", "pipe", "pipe"]
      })
    let child: ReturnType<typeof start>
    try {
      child = start()
    } catch (error) {
      return finishRun(Result.fail(`cannot be run: ${error instanceof Error ? error.message : String(error)}`))
    }
    let output = ""
    let errorOutput = ""
    let hasEnded = false
    const end = (result: Result.Result<PluginCredential, string>) => {
      if (hasEnded) return
      hasEnded = true
      timers.cancel(timer)
      finishRun(result)
    }
    const timer = timers.after(PLUGIN_TIMEOUT_MS, () => {
      child.kill("SIGKILL")
      end(Result.fail(`did not end within ${PLUGIN_TIMEOUT_MS / 1000} s`))
    })
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length <= MAX_OUTPUT_CHARACTERS) output += text
      if (output.length <= MAX_OUTPUT_CHARACTERS) return
      child.kill("SIGKILL")
      end(Result.fail(`printed more than ${MAX_OUTPUT_CHARACTERS} characters`))
    })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errorOutput = (errorOutput + text).slice(-MAX_OUTPUT_CHARACTERS)
    })
    child.on("error", (error) => end(Result.fail(`cannot be run: ${error.message}`)))
    child.on("close", (code, signal) => {
      if (code === 0) end(readExecCredential(exec, output))
      else end(Result.fail(`ended with ${signal ?? `exit code ${code}`}: ${errorOutput.trim().slice(-400)}`))
    })
  }

  return {
    use: (reply) => {
      if (current !== undefined && timers.now() < current.expiresAt) return reply(Result.succeed(current.credential))
      pendingReplies.push(reply)
      if (pendingReplies.length === 1) run()
    },
    rejected: (credential) => {
      if (current?.credential === credential) current = undefined
    }
  }
}
