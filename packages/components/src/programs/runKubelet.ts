import {
  Cluster,
  type Connection,
  componentLog,
  fromConnection,
  makeEventRecorder,
  nextChance
} from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import { type Kubelet, type KubeletSettings, modelUpstream, PodRuntimes } from "@rollcall/kubelet"
import { DEFAULT_CAPACITY, makeMachine, makeServerGate, ownPodRange, withKubeletLayer } from "@rollcall/machines"
import { byDefault, containedRunner, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { surviveErrors } from "../apiserver/processErrors.ts"
import { remoteConnection } from "../clients/remote.ts"
import type { FlagValues } from "../flags/Flag.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { liveFleet } from "../fleet/Fleet.ts"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { nodesPlaceable, nodesReady } from "../fleet/nodesReady.ts"
import { sharedManifests } from "../fleet/sharedManifests.ts"
import { Host } from "../host/Host.ts"
import { kubeletChecks } from "../serving/kubeletChecks.ts"
import { kubeletMetrics } from "../serving/kubeletMetrics.ts"
import { serveHealth } from "../serving/serveHealth.ts"
import { checkNodesOf, liveScenario, tellOfOtherFleet } from "../up/liveScenario.ts"
import { createObjects, groupsOfPlan, playEvents } from "../up/scenario.ts"
import type { kubeletProgram } from "./kubelet.ts"
import { kubeletSettingsOf } from "./kubeletSettings.ts"
import { releaseOf, userAgentOf } from "./release.ts"

/** A scenario's settings below those of a command line: its file is the base, theirs are drop-ins over it. */
const mergeSettings = (scenario: KubeletSettings, own: KubeletSettings): KubeletSettings => {
  const layers = [scenario.base, ...scenario.dropIns, own.base, ...own.dropIns].filter((layer) => layer !== undefined)
  return layers.reduce<KubeletSettings>(withKubeletLayer, {
    dropIns: [],
    flags: { ...scenario.flags, ...own.flags }
  })
}

/** Follows what lies at `staticPodPath` and `staticPodURL`, where they are set; read where they are needed only. */
const follow = Effect.fnUntraced(function* (kubelet: Pick<Kubelet, "config" | "setStaticPods">) {
  const { staticPodPath, staticPodURL } = kubelet.config
  if (staticPodPath === "" && staticPodURL === "") return
  const { followManifests } = yield* Effect.promise(() => import("../machine/followManifests.ts"))
  yield* followManifests(kubelet)
})

/** A kubelet against the cluster of a kubeconfig, or with `--nodes` a fleet of them, until it is interrupted. */
export const runKubelet = Effect.fnUntraced(
  function* (values: FlagValues<typeof kubeletProgram.flags>, { given }: Pick<Parsed<unknown>, "given">) {
    if (values.version)
      return (yield* Host).print(`Kubernetes ${(yield* Effect.fromResult(releaseOf(values.release))).version}`)
    if (values.scenario !== "") yield* checkNodesOf("--scenario", given)
    if (values.host === "linux" && (values.scenario !== "" || values.nodes > 0)) {
      const flagName = values.scenario === "" ? "--nodes" : "--scenario"
      return yield* invalid(
        "command line",
        flagName,
        "is a fleet of modelled machines, and --host linux is this machine"
      )
    }
    const plan = yield* liveScenario(values.scenario, {
      reader: "rollcall kubelet",
      release: values.release,
      seed: given.has("seed") ? values.seed : undefined
    })
    const { config, health, healthFlags, master, name, release, settings, warnings } = yield* kubeletSettingsOf(
      values,
      plan?.release
    )
    for (const warning of warnings) yield* Effect.logWarning(warning)
    const connection = yield* remoteConnection({ ...values, master }, userAgentOf("kubelet", release), { http2: true })
    const timers = yield* Timers
    yield* surviveErrors(timers.handleError, timers.now)
    const metrics = yield* kubeletMetrics
    const log = yield* componentLog
    yield* serveHealth(health, kubeletChecks(metrics.kubelets), { collect: metrics.collect, named: healthFlags })
    if (values.nodes > 0 || plan !== undefined) {
      const cluster = fromConnection(connection)
      const { onMachine, setStaticPods } = sharedManifests()
      const fleet = yield* liveFleet({
        release,
        kubelet: plan === undefined ? settings : mergeSettings(plan.settings.kubelet, settings),
        seed: plan?.seed ?? values.seed,
        groups: plan === undefined ? groupsOf({ nodes: values.nodes, zones: values.zones }) : groupsOfPlan(plan),
        connect: (node) => connection.as({ user: `system:node:${node}`, groups: ["system:nodes"] }),
        components: [],
        gate: makeServerGate(timers),
        meter: metrics.meter,
        onMachine
      }).pipe(Effect.provideService(Cluster, cluster))
      yield* follow({ config, setStaticPods })
      yield* tellOfOtherFleet(fleet)
      metrics.follow(() => Array.from(fleet.machines(), ({ kubelet }) => kubelet))
      if (plan !== undefined) {
        yield* nodesReady(cluster, fleet.unharmed)
        yield* nodesPlaceable(cluster, fleet.unharmed)
        yield* createObjects(cluster, plan)
        yield* playEvents(plan, cluster, fleet)
      }
      return yield* Effect.never
    }
    const chance = yield* nextChance
    const recorderOf = (host: string, own: Connection) =>
      makeEventRecorder(own, timers, chance, { component: "kubelet", host, log })
    if (values.host === "linux") {
      const { linuxKubelet } = yield* Effect.promise(() => import("../machine/linuxKubelet.ts"))
      const kubelet = yield* linuxKubelet({
        meter: metrics.meter,
        log,
        onMetrics: metrics.followResources,
        name,
        config,
        release,
        connection,
        recorder: recorderOf(name, connection),
        seed: values.seed,
        rootDir: values["root-dir"],
        ...(values["logind-root"] === "" ? {} : { logindRoot: values["logind-root"] })
      })
      metrics.follow(() => [kubelet])
      return yield* Effect.never
    }
    const fork = yield* containedRunner(timers, "machine")
    const { kubelet } = makeMachine(
      {
        timers,
        runtimes: yield* PodRuntimes,
        release,
        seed: values.seed,
        model: modelUpstream,
        connect: () => connection,
        fork,
        meter: metrics.meter,
        logOf: () => log,
        recorderOf
      },
      { name, group: undefined, config, capacity: DEFAULT_CAPACITY, podCIDR: ownPodRange(name, new Set()) }
    )
    metrics.follow(() => [kubelet])
    yield* Effect.acquireRelease(
      Effect.sync(() => kubelet.startKubelet()),
      () => Effect.sync(() => kubelet.stopKubelet())
    )
    yield* follow(kubelet)
    return yield* Effect.never
  },
  Effect.provide(byDefault(PodRuntimes, PodRuntimes.layerModelled()))
)
