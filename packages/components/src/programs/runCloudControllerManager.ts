import { type ConfigMap, systemNamespace } from "@rollcall/api"
import { Cluster, fromConnection, Informer } from "@rollcall/cluster"
import {
  type CloudMachine,
  CloudProviderSpec,
  checkStrictly,
  cloudControllerManagerLayer,
  cloudControllerManagerSettings,
  makeFleetCloud,
  planCloud,
  readDocuments
} from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { limitedClients } from "../clients/limited.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import type { cloudControllerManagerProgram } from "./cloudControllerManager.ts"
import { settingsOfFile } from "./configFile.ts"
import { releaseOf, userAgentOf } from "./release.ts"
import { whileLeading } from "./whileLeading.ts"

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
  values: FlagValues<typeof cloudControllerManagerProgram.flags>
) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(cloudControllerManagerSettings, values.config)
  const settings = { ...file, ...settingsGiven(cloudControllerManagerSettings, values) }
  const plan = planCloud(yield* cloudOfFile(values["cloud-config"]), settings)
  const connection = yield* remoteConnection(values, userAgentOf("cloud-controller-manager", release))
  const timers = yield* Timers
  yield* serveHealth(values, () => [["ping", () => undefined]])

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
  const controllers = cloudControllerManagerLayer(cloud, release, clients.layer)
  return yield* whileLeading(values, "cloud-controller-manager", connection, controllers)
})
