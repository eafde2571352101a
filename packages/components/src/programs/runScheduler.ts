import { CurrentQueueMeter } from "@rollcall/cluster"
import { schedulerLayer, schedulerSettings } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { gatesOf } from "../flags/featureGates.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { controllerChecks } from "../serving/controllerChecks.ts"
import { componentPages } from "../serving/pages.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { settingsOfFile } from "./configFile.ts"
import { leaderElectionConfig, leaderElectionFields, splitElection } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { schedulerProgram } from "./scheduler.ts"
import { whileLeading } from "./whileLeading.ts"

const settings = [...schedulerSettings, ...leaderElectionFields("leaderElection")]

const COMPONENT = "kube-scheduler"

/** kube-scheduler against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runScheduler = Effect.fnUntraced(function* (
  values: FlagValues<typeof schedulerProgram.flags>,
  { given }: Pick<Parsed<unknown>, "given">
) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const said = yield* settingsOfFile(settings, values.config)
  const { election, rest: file } = yield* Effect.fromResult(splitElection(values.config, said, values, given))
  const scheduler = { ...file, ...settingsGiven(schedulerSettings, values) }
  const connection = yield* remoteConnection(values, userAgentOf(COMPONENT, release))
  const timers = yield* Timers
  yield* gatesOf(release, values["feature-gates"])
  const queueMeter = makeQueueMeter(yield* Effect.context<never>(), timers.now)
  const checks = controllerChecks(COMPONENT, election["leader-elect"], [], () => false)
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
      settings,
      inEffect: {
        ...scheduler,
        ...leaderElectionConfig(election)
      }
    })
  })
  const clients = limitedClients(timers, () => connection)
  const placing = schedulerLayer({ release, settings: { controllerManager: {}, scheduler } }, clients)
  const leading = { component: COMPONENT, connection, releaseOnExit: true }
  const work = Layer.effectDiscard(Layer.build(placing)).pipe(
    Layer.provide(Layer.succeed(CurrentQueueMeter, queueMeter))
  )
  return yield* whileLeading(election, leading, work)
})
