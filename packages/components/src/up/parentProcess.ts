import { invalid } from "@rollcall/input"
import { processesOf } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"

/** A parent is missed at most this long, by the cluster's clock. */
const CHECK_PERIOD = "1 second"

/**
 * Returns an effect that ends when a process of this machine ends, so that a cluster does not outlive the test that started it, even if that was
 * killed. It never ends for 0. Fails with `InvalidInput` if there is no such process.
 */
export const parentProcess = Effect.fnUntraced(function* (hostname: string, id: number) {
  if (id === 0) return Effect.never
  const { isRunning, self: parent } = processesOf(hostname, id)
  if (!isRunning(parent))
    return yield* invalid("command line", "--parent-pid", `found ${id}, expected the ID of a running process`)
  return Effect.gen(function* () {
    while (isRunning(parent)) yield* Effect.sleep(CHECK_PERIOD)
    yield* Effect.logInfo("The parent process has ended").pipe(Effect.annotateLogs({ pid: id }))
  })
})
