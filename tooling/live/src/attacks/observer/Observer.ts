import { fork } from "node:child_process"
import { setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { Observation, ObserverSettings } from "./protocol.ts"

const SCRIPT = fileURLToPath(new URL("./observe.ts", import.meta.url))
/** The observer's niceness: it must run while an attack uses all processors. Needs permission. */
const NICENESS = -10

/** A separate process that probes a server and renews Leases on it during an attack. */
export interface Observer {
  /** Returns the observation since the last call. */
  readonly observe: Effect.Effect<Observation>
}

export const startObserver = (settings: ObserverSettings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = fork(SCRIPT, [JSON.stringify(settings)], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
      try {
        if (child.pid !== undefined) setPriority(child.pid, NICENESS)
      } catch {
        // The user lacks the permission for a negative niceness.
      }
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(
    Effect.map(
      (child): Observer => ({
        observe: Effect.callback((resume) => {
          child.once("message", (observation: Observation) => resume(Effect.succeed(observation)))
          child.send("observe")
        })
      })
    )
  )
