import { Cluster } from "@rollcall/cluster"
import { Components } from "@rollcall/control-plane"
import type { FlagValues } from "@rollcall/flags"
import { type KubeletSettings, modelUpstream } from "@rollcall/kubelet"
import { MachineDirectory, withKubeletLayer } from "@rollcall/machines"
import type { Plan } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { credentialsOf } from "../credentials/credentialPlugins.ts"
import { claimPart } from "../fleet/claimPart.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { checkPart, type FleetPart } from "../fleet/FleetPart.ts"
import { waitForReadyNodes } from "../fleet/nodesReady.ts"
import { sharedManifests } from "../fleet/sharedManifests.ts"
import { Host } from "../host/Host.ts"
import * as Attach from "../live/Attach.ts"
import { warnOfOtherFleet } from "../up/liveScenario.ts"
import { groupsOfPlan, playScenario } from "../up/scenario.ts"
import { followWhereNamed } from "./followWhereNamed.ts"
import type { kubeletProgram } from "./kubelet.ts"
import type { KubeletServing } from "./kubeletOfOne.ts"
import { kubeletPorts } from "./kubeletPorts.ts"
import type { KubeletStart } from "./kubeletSettings.ts"

/** Merges kubelet settings: the scenario's file is the base, and those of the command line are drop-ins over it. */
const mergeSettings = (scenario: KubeletSettings, commandLine: KubeletSettings): KubeletSettings => {
  const layers = [scenario.base, ...scenario.dropIns, commandLine.base, ...commandLine.dropIns].filter(
    (layer) => layer !== undefined
  )
  return layers.reduce<KubeletSettings>(withKubeletLayer, {
    dropIns: [],
    flags: { ...scenario.flags, ...commandLine.flags }
  })
}

/** What a fleet is besides the number of its nodes: a part of a spread fleet, or the nodes of a scenario. */
export interface FleetSource {
  readonly part: FleetPart | undefined
  readonly plan: Plan | undefined
}

/** Claims a part of a fleet, and runs it for as long as no other process has it. */
const whileClaimed = <A, E, R>(part: FleetPart, run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const { hostname, processId } = yield* Host
    const mark = (yield* Random.nextIntBetween(0, 16 ** 8 - 1)).toString(16).padStart(8, "0")
    // Before it waits for another process.
    yield* checkPart(cluster, part)
    const { keepOn } = yield* claimPart(cluster, part, `${hostname}_${processId}_${mark}`)
    return yield* Effect.raceFirst(run, keepOn)
  }).pipe(Effect.scoped)

/** Runs a fleet of kubelets, each on a modelled machine and with a client of its own node. It does not end. */
export const runFleet = (
  values: FlagValues<typeof kubeletProgram.flags>,
  start: KubeletStart,
  metrics: KubeletServing,
  { part, plan }: FleetSource
) => {
  const { nodes, seed: seedOfFlags, zones } = values
  const { config, credentials, release, settings } = start
  const seed = plan?.seed ?? seedOfFlags
  const { onMachine, setStaticPods } = sharedManifests()
  const run = Effect.gen(function* () {
    const cluster = yield* Cluster
    const fleet = yield* Fleet
    const { byName } = yield* MachineDirectory
    yield* followWhereNamed({ config, setStaticPods })
    yield* warnOfOtherFleet(fleet)
    metrics.follow(() => Array.from(byName.values(), ({ kubelet }) => kubelet))
    if (plan !== undefined) {
      yield* waitForReadyNodes(cluster, fleet.nodesWithoutFault)
      yield* playScenario(plan, cluster, fleet)
    }
    return yield* Effect.never
  })
  const fleet = Layer.unwrap(
    Effect.map(kubeletPorts(start, values), (ports) =>
      Fleet.layer({
        release,
        kubelet: plan === undefined ? settings : mergeSettings(plan.settings.kubelet, settings),
        seed,
        groups: plan === undefined ? groupsOf({ nodes, zones }) : groupsOfPlan(plan),
        part,
        ports,
        onMachine
      })
    )
  )
  const machines = Attach.layerMachines({
    release,
    seed,
    model: { ...modelUpstream, leaseSpread: true },
    meter: metrics.meter,
    ...credentialsOf(credentials),
    connect: (connection, node) => connection.as({ user: `system:node:${node}`, groups: ["system:nodes"] })
  })
  const running = run.pipe(Effect.provide(fleet.pipe(Layer.provide(Components.none), Layer.provideMerge(machines))))
  return part === undefined ? running : whileClaimed(part, running)
}
