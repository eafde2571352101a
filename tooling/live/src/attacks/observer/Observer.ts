import { fork } from "node:child_process"
import { setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { Observation, ObserverSettings } from "./protocol.ts"

const SCRIPT = fileURLToPath(new URL("./observe.ts", import.meta.url))
/** Measures beside an attack that takes all processors: where the user may, it comes first. */
const PRIORITY = -10

/** A process of its own that probes a server and renews Leases on it while it is attacked. */
export interface Observer {
  /** What it saw since the last call. */
  readonly observe: Effect.Effect<Observation>
}

export const startObserver = (settings: ObserverSettings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = fork(SCRIPT, [JSON.stringify(settings)], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
      try {
        if (child.pid !== undefined) setPriority(child.pid, PRIORITY)
      } catch {
        // This user may not.
      }
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(
    Effect.map(
      (child): Observer => ({
        observe: Effect.callback((resume) => {
          child.once("message", (seen: Observation) => resume(Effect.succeed(seen)))
          child.send("observe")
        })
      })
    )
  )
