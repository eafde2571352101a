import { Cluster, fromConnection } from "@rollcall/cluster"
import { kubeletConfig, modelUpstream } from "@rollcall/kubelet"
import { DEFAULT_CAPACITY, kubeletSettings, makeMachine, makeServerGate } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { liveFleet } from "../fleet/Fleet.ts"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { Host } from "../host/Host.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { settingsOfFile } from "./configFile.ts"
import { type kubeletProgram, parseTaints } from "./kubelet.ts"
import { releaseOf, userAgentOf } from "./release.ts"

/** A kubelet against the cluster of a kubeconfig, or with `--nodes` a fleet of them, until it is interrupted. */
export const runKubelet = Effect.fnUntraced(function* (values: FlagValues<typeof kubeletProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(kubeletSettings, values.config)
  const settings = { ...file, ...settingsGiven(kubeletSettings, values) }
  const registerWithTaints = yield* Effect.fromResult(parseTaints(values["register-with-taints"]))
  const connection = yield* remoteConnection(values, userAgentOf("kubelet", release))
  const timers = yield* Timers
  yield* serveHealth(values, () => [["ping", () => undefined]])
  const { hostname } = yield* Host
  if (values.nodes > 0) {
    yield* liveFleet({
      release,
      kubelet: settings,
      seed: values.seed,
      groups: groupsOf({ nodes: values.nodes, zones: values.zones }),
      connect: (node) => connection.as({ user: `system:node:${node}`, groups: ["system:nodes"] }),
      components: [],
      gate: makeServerGate(timers)
    }).pipe(Effect.provideService(Cluster, fromConnection(connection)))
    return yield* Effect.never
  }
  const name = (values["hostname-override"] || hostname).toLowerCase()
  const config = kubeletConfig(
    {
      ...settings,
      registerWithTaints,
      nodeLabels: values["node-labels"],
      ...(values["provider-id"] === "" ? {} : { providerID: values["provider-id"] })
    },
    release
  )
  const { kubelet } = makeMachine(
    { timers, release, seed: values.seed, model: modelUpstream, connect: () => connection },
    { name, group: undefined, config, capacity: DEFAULT_CAPACITY }
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => kubelet.startKubelet()),
    () => Effect.sync(() => kubelet.stopKubelet())
  )
  return yield* Effect.never
})
