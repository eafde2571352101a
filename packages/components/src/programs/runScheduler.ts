import { placingHere, readPlacing, schedulerLayer, schedulerSettings } from "@rollcall/control-plane"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { integerValue, pickSettings, setting, settingsInEffect, settingsOfFlags } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import { KubeClient } from "@rollcall/kube-client"
import { defaultSchedulerConfig } from "@rollcall/scheduler"
import { type MetricSet, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedClients } from "../clients/limited.ts"
import { remoteConfig } from "../clients/remote.ts"
import { gatesOf } from "../flags/featureGates.ts"
import { Host } from "../host/Host.ts"
import * as Attach from "../live/Attach.ts"
import { componentMetrics } from "../serving/componentMetrics.ts"
import { componentPages } from "../serving/pages.ts"
import { Serving } from "../serving/Serving.ts"
import { readConfigFile, readSettings } from "./configFile.ts"
import { electionSettings, leaderElectionFields } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { schedulerProgram } from "./scheduler.ts"
import { whileLeading } from "./whileLeading.ts"

type SchedulerValues = FlagValues<typeof schedulerProgram.flags>

const fields = { ...schedulerSettings, ...leaderElectionFields("leaderElection") }

/** Settings without flags that its pages show too. */
const placingSettings = {
  percentageOfNodesToScore: setting(
    integerValue(),
    { path: "percentageOfNodesToScore" },
    () => defaultSchedulerConfig.percentageOfNodesToScore
  ),
  podInitialBackoffSeconds: setting(
    integerValue(),
    { path: "podInitialBackoffSeconds" },
    () => defaultSchedulerConfig.podInitialBackoffSeconds
  ),
  podMaxBackoffSeconds: setting(
    integerValue(),
    { path: "podMaxBackoffSeconds" },
    () => defaultSchedulerConfig.podMaxBackoffSeconds
  )
}

const shownSettings = { ...fields, ...placingSettings }

const COMPONENT = "kube-scheduler"

/** Reads the settings of kube-scheduler from its flags and its file. */
const settingsOf = Effect.fnUntraced(function* (values: SchedulerValues, { given }: Pick<Parsed<unknown>, "given">) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const warnings: Array<string> = []
  const { placing, process } = yield* Effect.fromResult(
    readPlacing(values.config, "", yield* readConfigFile(values.config), release, warnings)
  )
  const fileSettings = yield* readSettings(fields, values.config, process, warnings)
  const election = yield* Effect.fromResult(electionSettings(values.config, fileSettings, values, given))
  const config = yield* remoteConfig(values)
  const { NominatedNodeNameForExpectation: nominatesBeforeBinding } = yield* gatesOf(release, values["feature-gates"])
  const scheduler = { ...pickSettings(schedulerSettings, fileSettings), ...settingsOfFlags(schedulerSettings, values) }
  const { hostname } = yield* Host
  const placed = { ...(yield* placingHere(placing)), nominatesBeforeBinding, hostname }
  return { release, election, config, scheduler, placing: placed }
}, withLineNumbers)

type Settings = Effect.Success<ReturnType<typeof settingsOf>>

const layerServing = (
  values: SchedulerValues,
  { election, placing, release, scheduler }: Settings,
  metrics: MetricSet
) =>
  Layer.unwrap(
    Effect.map(Timers, ({ now }) =>
      Serving.layerScheduler(values, {
        component: COMPONENT,
        metrics,
        electsLeader: election.leaderElect,
        pages: componentPages({
          program: schedulerProgram,
          values,
          release,
          now,
          configName: "componentconfig",
          settings: shownSettings,
          inEffect: settingsInEffect(
            shownSettings,
            { ...scheduler, ...pickSettings(placingSettings, placing), ...election },
            release
          )
        })
      })
    )
  )

const layerScheduler = ({ placing, release, scheduler }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { connection } = yield* KubeClient
      const clients = limitedClients(yield* Timers, () => connection)
      return schedulerLayer({ release, settings: { controllerManager: {}, scheduler, placing } }, clients)
    })
  )

/** Runs kube-scheduler against the cluster of a kubeconfig until it is interrupted or no longer leads. */
export const runScheduler = Effect.fnUntraced(function* (
  values: SchedulerValues,
  parsed: Pick<Parsed<unknown>, "given">
) {
  const settings = yield* settingsOf(values, parsed)
  const { config, election, release } = settings
  const metrics = componentMetrics(release)
  const work = Layer.effectDiscard(Layer.build(layerScheduler(settings)))
  return yield* whileLeading(election, { component: COMPONENT, releaseOnExit: true }, work).pipe(
    Effect.provide(
      layerServing(values, settings, metrics).pipe(
        Layer.provideMerge(Attach.layer({ config, userAgent: userAgentOf(COMPONENT, release), metrics }))
      )
    )
  )
})
