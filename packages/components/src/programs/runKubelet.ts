import { Cluster, fromConnection, makeEventRecorder, nextChance } from "@rollcall/cluster"
import { kubeletConfig, modelUpstream } from "@rollcall/kubelet"
import { loadScenarios } from "@rollcall/simulator"
import { DEFAULT_CAPACITY, kubeletSettings, makeMachine, makeServerGate } from "@rollcall/simulator/world"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { liveFleet } from "../fleet/Fleet.ts"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { nodesReady } from "../fleet/nodesReady.ts"
import { Host } from "../host/Host.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { createObjects, groupsOfPlan, playEvents } from "../up/scenario.ts"
import { settingsOfFile } from "./configFile.ts"
import { type kubeletProgram, parseTaints } from "./kubelet.ts"
import { releaseOf, userAgentOf } from "./release.ts"

/** A kubelet against the cluster of a kubeconfig, or with `--nodes` a fleet of them, until it is interrupted. */
export const runKubelet = Effect.fnUntraced(function* (values: FlagValues<typeof kubeletProgram.flags>) {
  const release = yield* Effect.fromResult(releaseOf(values.release))
  const file = yield* settingsOfFile(kubeletSettings, values.config)
  const settings = { ...file, ...settingsGiven(kubeletSettings, values) }
  const registerWithTaints = yield* Effect.fromResult(parseTaints(values["register-with-taints"]))
  const connection = yield* remoteConnection(values, userAgentOf("kubelet", release), { http2: true })
  const timers = yield* Timers
  yield* serveHealth(values, () => [["ping", () => undefined]])
  const { hostname } = yield* Host
  const plan = values.scenario === "" ? undefined : (yield* loadScenarios([values.scenario], { seed: values.seed }))[0]
  if (values.nodes > 0 || plan !== undefined) {
    const cluster = fromConnection(connection)
    const fleet = yield* liveFleet({
      release,
      kubelet: { ...plan?.settings.kubelet, ...settings },
      seed: values.seed,
      groups: plan === undefined ? groupsOf({ nodes: values.nodes, zones: values.zones }) : groupsOfPlan(plan),
      connect: (node) => connection.as({ user: `system:node:${node}`, groups: ["system:nodes"] }),
      components: [],
      gate: makeServerGate(timers)
    }).pipe(Effect.provideService(Cluster, cluster))
    if (plan !== undefined) {
      yield* nodesReady(cluster, fleet.size)
      yield* createObjects(cluster, plan)
      yield* playEvents(plan, cluster, fleet)
    }
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
  const chance = yield* nextChance
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const { kubelet } = makeMachine(
    {
      timers,
      release,
      seed: values.seed,
      model: modelUpstream,
      connect: () => connection,
      fork: (effect) => void fork(effect),
      recorderOf: (host, own) => makeEventRecorder(own, timers, chance, { component: "kubelet", host })
    },
    { name, group: undefined, config, capacity: DEFAULT_CAPACITY }
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => kubelet.startKubelet()),
    () => Effect.sync(() => kubelet.stopKubelet())
  )
  return yield* Effect.never
})
