import { type ChildProcessByStdio, spawn } from "node:child_process"
import { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import { InhibitorError } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"
import { LOCK } from "./names.ts"

type Holder = ChildProcessByStdio<Writable, Readable, Readable>

/** What holds the lock says so, and then waits until we are no more: the pipe that it reads ends with this process. */
const HOLD = "echo held; exec cat >/dev/null"

/**
 * systemd's own tool takes the lock and keeps it for as long as its child lives. It has a session of its own: Ctrl-C on our
 * terminal must not release the lock.
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
      HOLD
    ],
    { stdio: ["pipe", "pipe", "pipe"], detached: true }
  )

/** Ends the holder, and the lock with it; completes when it is gone. */
const release = (holder: Holder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (holder.exitCode !== null || holder.signalCode !== null) return resume(Effect.void)
    holder.ref()
    holder.removeAllListeners("exit")
    holder.once("exit", () => resume(Effect.void))
    holder.stdin.end()
    // The lock goes with systemd-inhibit, whatever its child does.
    holder.kill("SIGTERM")
  })

const failure = (why: string) =>
  Effect.fail(new InhibitorError({ message: `failed creating systemd inhibitor: ${why}` }))

/**
 * Takes the delay lock; answers what releases it. `lost` is called when it is gone without that: its holder was killed. Killed in any way, this process releases it too. logind hands a lock out as a
 * file descriptor, which Node's sockets cannot receive: so systemd-inhibit receives it.
 */
export const takeLock = (address: string, lost: () => void): Effect.Effect<Effect.Effect<void>, InhibitorError> =>
  Effect.callback<Holder, InhibitorError>((resume) => {
    const holder = holdLock(address)
    let complaint = ""
    holder.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint += text
    })
    holder.once("error", (error) => resume(failure(error.message)))
    holder.once("close", (code) => resume(failure(complaint.trim() || `systemd-inhibit ended with ${code}`)))
    // A pipe that is written to after its reader is gone.
    holder.stdin.on("error", () => undefined)
    holder.stdout.once("data", () => {
      holder.removeAllListeners("close")
      holder.once("exit", lost)
      holder.stdout.destroy()
      holder.stderr.destroy()
      // Held or not, it keeps nobody from ending.
      holder.unref()
      if (holder.stdin instanceof Socket) holder.stdin.unref()
      resume(Effect.succeed(holder))
    })
    return release(holder)
  }).pipe(Effect.map(release))
