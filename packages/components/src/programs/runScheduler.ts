import { CurrentInformerFollower, CurrentQueueMeter, LeaderWatchDog } from "@rollcall/cluster"
import { readPlacing, schedulerLayer, schedulerSettings } from "@rollcall/control-plane"
import type { Setting } from "@rollcall/input"
import { defaultSchedulerConfig } from "@rollcall/scheduler"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { surviveErrors } from "../apiserver/processErrors.ts"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { gatesOf } from "../flags/featureGates.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { makeInformerSync } from "../serving/informerSync.ts"
import { componentPages } from "../serving/pages.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { schedulerChecks } from "../serving/schedulerChecks.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { settingsIn, valueOfFile } from "./configFile.ts"
import { leaderElectionConfig, leaderElectionFields, splitElection } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { schedulerProgram } from "./scheduler.ts"
import { whileLeading } from "./whileLeading.ts"

const fields = [...schedulerSettings, ...leaderElectionFields("leaderElection")]

/** Shown beside them, though flags do not have them. */
const placingSettings = ["percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds"].map(
  (name): Setting => ({ key: name, path: name, type: "integer" })
)

const COMPONENT = "kube-scheduler"

/** kube-scheduler against the cluster of a kubeconfig, until it is interrupted or no longer leads. */
export const runScheduler = Effect.fnUntraced(function* (
  values: FlagValues<typeof schedulerProgram.flags>,
  { given }: Pick<Parsed<unknown>, "given">
) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const warnings: Array<string> = []
  const { placing, process } = yield* Effect.fromResult(
    readPlacing(values.config, "", yield* valueOfFile(values.config), release, warnings)
  )
  const said = yield* settingsIn(fields, values.config, process, warnings)
  const { election, rest: file } = yield* Effect.fromResult(splitElection(values.config, said, values, given))
  const scheduler = { ...file, ...settingsGiven(schedulerSettings, values) }
  const { percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds } = {
    ...defaultSchedulerConfig,
    ...placing
  }
  const connection = yield* remoteConnection(values, userAgentOf(COMPONENT, release))
  const timers = yield* Timers
  yield* surviveErrors(timers.handleError, timers.now)
  const gates = yield* gatesOf(release, values["feature-gates"])
  const queueMeter = makeQueueMeter(yield* Effect.context<never>(), timers.now)
  const watchDog = new LeaderWatchDog()
  const informers = makeInformerSync()
  const checks = schedulerChecks({
    watchDog: election["leader-elect"] ? watchDog : undefined,
    now: timers.now,
    informers
  })
  yield* serveHealth(values, checks, {
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
      settings: [...fields, ...placingSettings],
      inEffect: {
        ...scheduler,
        percentageOfNodesToScore,
        podInitialBackoffSeconds,
        podMaxBackoffSeconds,
        ...leaderElectionConfig(election)
      }
    })
  })
  const clients = limitedClients(timers, () => connection)
  const gated = { ...placing, nominatesBeforeBinding: gates.NominatedNodeNameForExpectation }
  const settings = { controllerManager: {}, scheduler, placing: gated }
  const kubeScheduler = schedulerLayer({ release, settings }, clients)
  const leading = { component: COMPONENT, connection, releaseOnExit: true, watchDog }
  const work = Layer.effectDiscard(Layer.build(kubeScheduler)).pipe(
    Layer.provide(
      Layer.merge(
        Layer.succeed(CurrentQueueMeter, queueMeter),
        Layer.succeed(CurrentInformerFollower, informers.follow)
      )
    )
  )
  return yield* whileLeading(election, leading, work)
})
