import { type ConfigMap, systemNamespace } from "@rollcall/api"
import { Cluster, CurrentInformerFollower, CurrentQueueMeter, fromConnection, Informer } from "@rollcall/cluster"
import { cloudControllerManagerLayer, cloudControllerManagerSettings } from "@rollcall/control-plane"
import { checkStrictly, invalid } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import { type CloudMachine, CloudProviderSpec, makeFleetCloud, planCloud } from "@rollcall/machines"
import { ControllerGates } from "@rollcall/node-controller"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { surviveErrors } from "../apiserver/processErrors.ts"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import { cloudControllers, isEnabled, missingControllers } from "../flags/controllerNames.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { gatesOf } from "../flags/featureGates.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { componentPages } from "../serving/pages.ts"
import { serveManager } from "../serving/serveManager.ts"
import { cloudControllerManagerProgram } from "./cloudControllerManager.ts"
import { settingsOfFile } from "./configFile.ts"
import { cloudConfig } from "./configInEffect.ts"
import { leaderElectionConfig, leaderElectionFields, splitElection } from "./electionConfig.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

const known = [...cloudControllerManagerSettings, ...leaderElectionFields("generic.leaderElection")]

const COMPONENT = "cloud-controller-manager"

/** By the name of a node: `off` or `gone`. */
const STATES = "rollcall-cloud"

const checkCloud = checkStrictly(CloudProviderSpec)

const cloudOfFile = Effect.fnUntraced(function* (file: string) {
  if (file === "") return {}
  const [document] = yield* readDocuments(file)
  return yield* Effect.fromResult(checkCloud(file, document?.value ?? {}, ""))
})

/** cloud-controller-manager of a modelled cloud, until it is interrupted or no longer leads. */
export const runCloudControllerManager = Effect.fnUntraced(function* (
  values: FlagValues<typeof cloudControllerManagerProgram.flags>,
  { given }: Pick<Parsed<unknown>, "given">
) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const said = yield* settingsOfFile(known, values.config)
  const { election, rest: file } = yield* Effect.fromResult(splitElection(values.config, said, values, given))
  const settings = { ...file, ...settingsGiven(cloudControllerManagerSettings, values) }
  if (typeof settings.concurrentNodeSyncs === "number" && settings.concurrentNodeSyncs < 0) {
    const problem = "concurrent-node-syncs must be a positive number"
    return yield* invalid("command line", "--concurrent-node-syncs", problem)
  }
  for (const controller of missingControllers(values.controllers, cloudControllers)) {
    yield* Effect.logWarning("The controller is not here, and does not run").pipe(Effect.annotateLogs({ controller }))
  }
  const plan = planCloud(yield* cloudOfFile(values["cloud-config"]), settings)
  const connection = yield* remoteConnection(values, userAgentOf(COMPONENT, release))
  const timers = yield* Timers
  yield* surviveErrors(timers.handleError, timers.now)
  const gates = yield* gatesOf(release, values["feature-gates"])
  const chosen = (controller: string) => isEnabled(values.controllers, controller, cloudControllers)
  const { informers, onLeading, queueMeter, watchDog } = yield* serveManager(values, {
    manager: COMPONENT,
    elects: election["leader-elect"],
    known: cloudControllers,
    isEnabled: chosen,
    pages: componentPages({
      program: cloudControllerManagerProgram,
      values,
      release,
      now: timers.now,
      configName: "cloudcontrollermanager.config.k8s.io",
      settings: known,
      inEffect: {
        ...cloudConfig(release),
        ...settings,
        ...leaderElectionConfig(election)
      }
    })
  })

  const informed = Effect.provideService(Cluster, fromConnection(connection))
  const nodes = yield* informed(Informer.make("Node"))
  let states: NonNullable<ConfigMap["data"]> = {}
  const seen = ({ data = {}, metadata }: ConfigMap) => {
    if (metadata.name === STATES) states = data
  }
  const maps = yield* informed(
    Informer.make("ConfigMap", {
      namespace: systemNamespace,
      handlers: [
        {
          onAdd: seen,
          onUpdate: (_, map) => seen(map),
          onDelete: ({ metadata }) => seen({ apiVersion: "v1", kind: "ConfigMap", metadata })
        }
      ]
    })
  )
  yield* Effect.all([nodes.synced, maps.synced])
  const machineOf = (name: string): CloudMachine | undefined =>
    states[name] === "gone"
      ? undefined
      : {
          name,
          group: undefined,
          kubelet: { powered: states[name] !== "off", config: { nodeLabels: {}, providerID: "" } }
        }
  const cloud = yield* Effect.acquireRelease(
    Effect.sync(() =>
      makeFleetCloud({
        plan,
        seed: 1,
        timers,
        machines: () => nodes.list().flatMap(({ metadata }) => machineOf(metadata.name ?? "") ?? []),
        machineOf,
        nodeOf: (name) => nodes.find(name)
      })
    ),
    ({ stop }) => Effect.sync(stop)
  )
  const clients = limitedClients(timers, () => connection)
  const limit = { qps: values["kube-api-qps"], burst: values["kube-api-burst"] }
  const client: typeof clients.layer = (name, given) => clients.layer(name, given.qps === 0 ? given : limit)
  const controllers = cloudControllerManagerLayer(cloud, release, client, chosen).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(CurrentQueueMeter, queueMeter),
        Layer.succeed(CurrentInformerFollower, informers.follow),
        Layer.succeed(ControllerGates, gates)
      )
    )
  )
  const leading = { component: COMPONENT, connection, releaseOnExit: false, onLeading, watchDog }
  return yield* whileLeading(election, leading, controllers)
})
