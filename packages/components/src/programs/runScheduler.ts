import { CurrentQueueMeter } from "@rollcall/cluster"
import { schedulerLayer, schedulerSettings } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { gatesOf } from "../flags/featureGates.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { controllerChecks } from "../serving/controllerChecks.ts"
import { componentPages } from "../serving/pages.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { settingsOfFile } from "./configFile.ts"
import { leaderElectionConfig, leaderElectionFields } from "./configInEffect.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { schedulerProgram } from "./scheduler.ts"
import { whileLeading } from "./whileLeading.ts"

const COMPONENT = "kube-scheduler"

/** kube-scheduler against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runScheduler = Effect.fnUntraced(function* (values: FlagValues<typeof schedulerProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(schedulerSettings, values.config)
  const scheduler = { ...file, ...settingsGiven(schedulerSettings, values) }
  const connection = yield* remoteConnection(values, userAgentOf(COMPONENT, release))
  const timers = yield* Timers
  yield* gatesOf(release, values["feature-gates"])
  const queueMeter = makeQueueMeter(yield* Effect.context<never>(), timers.now)
  const checks = controllerChecks(COMPONENT, values["leader-elect"], [], () => false)
  yield* serveHealth(values, () => [["ping", () => undefined], ...checks.all()], {
    collect: () => {
      queueMeter.collect()
      return ""
    },
    pages: componentPages({
      program: schedulerProgram,
      values,
      release,
      now: timers.now,
      configName: "componentconfig",
      settings: [...schedulerSettings, ...leaderElectionFields("leaderElection")],
      inEffect: {
        ...scheduler,
        ...leaderElectionConfig(values)
      }
    })
  })
  const clients = limitedClients(timers, () => connection)
  const placing = schedulerLayer({ release, settings: { controllerManager: {}, scheduler } }, clients)
  const leading = { component: COMPONENT, connection, releaseOnExit: true }
  const work = Layer.effectDiscard(Layer.build(placing)).pipe(
    Layer.provide(Layer.succeed(CurrentQueueMeter, queueMeter))
  )
  return yield* whileLeading(values, leading, work)
})
