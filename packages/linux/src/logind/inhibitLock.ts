import { type ChildProcessByStdio, spawn } from "node:child_process"
import { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import { InhibitorError } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"
import { LOCK } from "./names.ts"

type Holder = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * The command that runs under the lock: reports that the lock is held, then reads until its stdin closes, which
 * happens when this process exits.
 */
const HOLD_COMMAND = "echo held; exec cat >/dev/null"

/**
 * systemd's own tool takes the lock and holds it while its child runs. It runs in a session of its own, so that Ctrl-C
 * in our terminal does not release the lock.
 */
const holdLock = (address: string): Holder =>
  spawn(
    "env",
    [
      `DBUS_SYSTEM_BUS_ADDRESS=${address}`,
      "systemd-inhibit",
      ...Object.entries(LOCK).map(([name, value]) => `--${name}=${value}`),
      "sh",
      "-c",
      HOLD_COMMAND
    ],
    { stdio: ["pipe", "pipe", "pipe"], detached: true }
  )

/** Ends the holder process, which releases the lock; completes when the process has exited. */
const release = (holder: Holder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (holder.exitCode !== null || holder.signalCode !== null) return resume(Effect.void)
    holder.ref()
    holder.removeAllListeners("exit")
    holder.once("exit", () => resume(Effect.void))
    holder.stdin.end()
    // The lock is released with systemd-inhibit, whatever its child does.
    holder.kill("SIGTERM")
  })

const failWithLockError = (why: string) =>
  Effect.fail(new InhibitorError({ message: `failed creating systemd inhibitor: ${why}` }))

/**
 * Takes the delay lock; returns the effect that releases it. `onLost` is called when the lock ends without that,
 * because its holder was killed. When this process exits in any way, the lock is released too. logind hands a lock out
 * as a file descriptor, which Node's sockets cannot receive: so systemd-inhibit receives it.
 */
export const takeLock = (address: string, onLost: () => void): Effect.Effect<Effect.Effect<void>, InhibitorError> =>
  Effect.callback<Holder, InhibitorError>((resume) => {
    const holder = holdLock(address)
    let stderr = ""
    holder.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    holder.once("error", (error) => resume(failWithLockError(error.message)))
    holder.once("close", (code) => resume(failWithLockError(stderr.trim() || `systemd-inhibit ended with ${code}`)))
    // EPIPE: a write after the holder has exited.
    holder.stdin.on("error", () => undefined)
    holder.stdout.once("data", () => {
      holder.removeAllListeners("close")
      holder.once("exit", onLost)
      holder.stdout.destroy()
      holder.stderr.destroy()
      // Neither the holder nor its pipes keep this process from exiting.
      holder.unref()
      if (holder.stdin instanceof Socket) holder.stdin.unref()
      resume(Effect.succeed(holder))
    })
    return release(holder)
  }).pipe(Effect.map(release))
