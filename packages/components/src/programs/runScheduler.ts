import { schedulerLayer, schedulerSettings } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { settingsOfFile } from "./configFile.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import type { schedulerProgram } from "./scheduler.ts"
import { whileLeading } from "./whileLeading.ts"

/** kube-scheduler against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runScheduler = Effect.fnUntraced(function* (values: FlagValues<typeof schedulerProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(schedulerSettings, values.config)
  const scheduler = { ...file, ...settingsGiven(schedulerSettings, values) }
  const connection = yield* remoteConnection(values, userAgentOf("kube-scheduler", release))
  const timers = yield* Timers
  yield* serveHealth(values, () => [["ping", () => undefined]])
  const clients = limitedClients(timers, () => connection)
  const placing = schedulerLayer({ release, settings: { controllerManager: {}, scheduler } }, clients)
  return yield* whileLeading(values, "kube-scheduler", connection, Layer.effectDiscard(Layer.build(placing)))
})
