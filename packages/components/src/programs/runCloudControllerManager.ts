import { ControllerGates } from "@rollcall/api"
import { cloudControllerManagerLayer, cloudControllerManagerSettings } from "@rollcall/control-plane"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { checkStrictly, invalid, pickSettings, settingsInEffect, settingsOfFlags } from "@rollcall/input"
import { readDocuments, withLineNumbers } from "@rollcall/input/documents"
import { KubeClient } from "@rollcall/kube-client"
import { CloudProviderSpec, planCloud } from "@rollcall/machines"
import { type MetricSet, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedClients } from "../clients/limited.ts"
import { remoteConfig } from "../clients/remote.ts"
import { cloudControllers, isEnabled, missingControllers } from "../flags/controllerNames.ts"
import { gatesOf } from "../flags/featureGates.ts"
import * as Attach from "../live/Attach.ts"
import { configuredCloud } from "../live/configuredCloud.ts"
import { componentMetrics } from "../serving/componentMetrics.ts"
import { componentPages } from "../serving/pages.ts"
import { Serving } from "../serving/Serving.ts"
import { cloudControllerManagerProgram } from "./cloudControllerManager.ts"
import { readSettingsFile } from "./configFile.ts"
import { electionSettings, leaderElectionFields } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

type CloudValues = FlagValues<typeof cloudControllerManagerProgram.flags>

const settingFields = { ...cloudControllerManagerSettings, ...leaderElectionFields("generic.leaderElection") }

const COMPONENT = "cloud-controller-manager"

const checkCloud = checkStrictly(CloudProviderSpec)

const cloudOfFile = Effect.fnUntraced(function* (file: string) {
  if (file === "") return {}
  const [document] = yield* readDocuments(file)
  return yield* Effect.fromResult(checkCloud(file, document?.value ?? {}, ""))
})

/** Reads the settings of cloud-controller-manager from its flags and files. */
const settingsOf = Effect.fnUntraced(function* (values: CloudValues, { given }: Pick<Parsed<unknown>, "given">) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const fileSettings = yield* readSettingsFile(settingFields, values.config)
  const election = yield* Effect.fromResult(electionSettings(values.config, fileSettings, values, given))
  const settings = {
    ...pickSettings(cloudControllerManagerSettings, fileSettings),
    ...settingsOfFlags(cloudControllerManagerSettings, values)
  }
  if (settings.concurrentNodeSyncs !== undefined && settings.concurrentNodeSyncs < 0) {
    const problem = "concurrent-node-syncs must be a positive number"
    return yield* invalid("command line", "--concurrent-node-syncs", problem)
  }
  for (const controller of missingControllers(values.controllers, cloudControllers)) {
    yield* Effect.logWarning("The controller is not supported and does not run").pipe(
      Effect.annotateLogs({ controller })
    )
  }
  const plan = planCloud(yield* cloudOfFile(values["cloud-config"]), settings)
  const config = yield* remoteConfig(values)
  const gates = yield* gatesOf(release, values["feature-gates"])
  const isControllerEnabled = (controller: string) => isEnabled(values.controllers, controller, cloudControllers)
  return { release, election, settings, plan, config, gates, isControllerEnabled }
}, withLineNumbers)

type Settings = Effect.Success<ReturnType<typeof settingsOf>>

const layerServing = (
  values: CloudValues,
  { isControllerEnabled, election, release, settings }: Settings,
  metrics: MetricSet
) =>
  Layer.unwrap(
    Effect.map(Timers, ({ now }) =>
      Serving.layerManager(values, {
        component: COMPONENT,
        metrics,
        electsLeader: election.leaderElect,
        knownControllers: cloudControllers,
        isEnabled: isControllerEnabled,
        pages: componentPages({
          program: cloudControllerManagerProgram,
          values,
          release,
          now,
          configName: "cloudcontrollermanager.config.k8s.io",
          settings: settingFields,
          inEffect: settingsInEffect(settingFields, { ...settings, ...election }, release)
        })
      })
    )
  )

/** Makes the controllers, each with a client of its own that the flags limit. */
const layerControllers = (values: CloudValues, { isControllerEnabled, gates, plan, release }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { connection } = yield* KubeClient
      const cloud = yield* configuredCloud(plan)
      const clients = limitedClients(yield* Timers, () => connection)
      const limit = { qps: values["kube-api-qps"], burst: values["kube-api-burst"] }
      const client: typeof clients.layer = (name, given) => clients.layer(name, given.qps === 0 ? given : limit)
      return cloudControllerManagerLayer(cloud, release, client, isControllerEnabled)
    })
  ).pipe(Layer.provide(Layer.succeed(ControllerGates, gates)))

/** Runs cloud-controller-manager until it is interrupted or no longer leads. */
export const runCloudControllerManager = Effect.fnUntraced(function* (
  values: CloudValues,
  parsed: Pick<Parsed<unknown>, "given">
) {
  const settings = yield* settingsOf(values, parsed)
  const { config, election, release } = settings
  const metrics = componentMetrics(release)
  const controllers = layerControllers(values, settings)
  return yield* whileLeading(election, { component: COMPONENT, releaseOnExit: false }, controllers).pipe(
    Effect.provide(
      layerServing(values, settings, metrics).pipe(
        Layer.provideMerge(Attach.layer({ config, userAgent: userAgentOf(COMPONENT, release), metrics }))
      )
    )
  )
})
