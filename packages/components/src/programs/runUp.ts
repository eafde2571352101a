import { KubeletTransport } from "@rollcall/api-server/http"
import { Cluster, CurrentQueueMeter, fromConnection } from "@rollcall/cluster"
import {
  type Component,
  checkIpam,
  cloudManagers,
  identities,
  ipamSettings,
  makeComponent,
  modelledStorageDriver,
  schedulerLayer
} from "@rollcall/control-plane"
import { invalid } from "@rollcall/input"
import { writeKubeconfig } from "@rollcall/kube-client"
import { noKubeletSettings, PodRuntimes } from "@rollcall/kubelet"
import { GatedRuntime, ModelledStorage, makeServerGate } from "@rollcall/machines"
import { byDefault, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { apiServerProcess } from "../apiserver/ApiServerProcess.ts"
import { returnMemory } from "../apiserver/returnMemory.ts"
import { limitedClients } from "../clients/limited.ts"
import type { FlagValues } from "../flags/Flag.ts"
import type { Parsed } from "../flags/parseFlags.ts"
import { settingsGiven } from "../flags/settingFlags.ts"
import { type LiveFleet, liveFleet } from "../fleet/Fleet.ts"
import { groupsOf } from "../fleet/FleetDocument.ts"
import { fleetTransport } from "../fleet/fleetTransport.ts"
import { nodesPlaceable, nodesReady } from "../fleet/nodesReady.ts"
import { Host } from "../host/Host.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { allowCloudControllers, liveCloud } from "../up/cloud.ts"
import { noteClock } from "../up/clusterClock.ts"
import { createDemo, suggestions } from "../up/demo.ts"
import { kubeconfigSharing } from "../up/kubeconfigSharing.ts"
import { checkNodesOf, liveScenario, tellOfOtherFleet, withScenario } from "../up/liveScenario.ts"
import { createObjects, groupsOfPlan, playEvents } from "../up/scenario.ts"
import { createClasses } from "../up/storage.ts"
import { liveControllers } from "./controllerManager.ts"
import { releaseOf } from "./release.ts"
import { ownProcesses, serverSettings } from "./runApiserver.ts"
import { upIpam, type upProgram } from "./up.ts"

/** A whole cluster in this process, until it is interrupted (or, with `--exit-when-ready`, until its nodes are Ready). */
export const runUp = Effect.fnUntraced(
  function* (values: FlagValues<typeof upProgram.flags>, { given }: Pick<Parsed<unknown>, "given">) {
    const timers = yield* Timers
    const { environment, print, wallClockMs } = yield* Host
    const startedMs = timers.now()
    if (values.speed <= 0)
      return yield* invalid("command line", "--speed", `found ${values.speed}, expected a number above 0`)
    if (values.nodes < 0) return yield* invalid("command line", "--nodes", `found ${values.nodes}, expected 0 or more`)
    if (values.zones < 1) return yield* invalid("command line", "--zones", `found ${values.zones}, expected 1 or more`)
    if (values.config !== "") yield* checkNodesOf("--config", given)
    const plan = yield* liveScenario(values.config, {
      reader: "rollcall up",
      release: values.release,
      seed: given.has("seed") ? values.seed : undefined
    })
    const release = plan?.release ?? (yield* Effect.fromResult(releaseOf(values.release)))
    const seed = plan?.seed ?? values.seed
    const settings = yield* serverSettings(withScenario(values, given, plan), values.port, "--port", release)
    const clock = { wallMs: wallClockMs(), clusterMs: timers.now(), speed: values.speed }
    if (values["data-dir"] !== "") yield* noteClock(settings.folder, clock)
    const sharing = values["merge-kubeconfig"] ? yield* kubeconfigSharing(values.name) : undefined
    const queueMeter = makeQueueMeter(yield* Effect.context<never>(), timers.now)
    const machines: { of: LiveFleet["machine"] } = { of: () => undefined }
    const { kubeconfig, kubeconfigFile, pki, server, url } = yield* apiServerProcess({
      ...settings,
      collect: queueMeter.collect
    }).pipe(
      Effect.provideService(
        KubeletTransport,
        fleetTransport((name) => machines.of(name))
      )
    )
    yield* returnMemory
    if (values["kubeconfig-out"] !== "") {
      yield* writeKubeconfig(values["kubeconfig-out"], kubeconfig, yield* ownProcesses)
    }
    const shared = sharing === undefined ? undefined : yield* sharing.enter(kubeconfig)

    const controllerManager = {
      ...upIpam,
      ...plan?.settings.controllerManager,
      ...settingsGiven(ipamSettings, values)
    }
    yield* Effect.fromResult(checkIpam("command line", "", controllerManager))
    const cloud = plan?.cloud === undefined ? undefined : liveCloud(plan.cloud, seed, timers, release)
    const plane = {
      release,
      settings: { scheduler: {}, placing: {}, ...plan?.settings, controllerManager },
      planeCloud: cloud?.plane
    }
    const clients = limitedClients(timers, (name) => server.connect(identities.component(name)))
    const manager: Component = yield* makeComponent(
      "kube-controller-manager",
      liveControllers(plane, clients, {
        rootCA: pki.authorityPem,
        // Nodes are not Ready before: at 20 a second, thousands would wait for minutes.
        ...(!("qps" in controllerManager) ? { ipamLimit: { qps: 0, burst: 0 } } : {}),
        queueMeter,
        onFatal: (message) =>
          Effect.andThen(Effect.logError(message), Effect.asVoid(Effect.forkDetach(Effect.suspend(() => manager.stop))))
      })
    )
    const placing = yield* makeComponent(
      "kube-scheduler",
      Layer.effectDiscard(Layer.build(schedulerLayer(plane, clients))).pipe(
        Layer.provide(Layer.succeed(CurrentQueueMeter, queueMeter))
      )
    )
    const clouds = yield* cloudManagers(plane, clients)
    const components = [manager, placing, ...clouds]
    yield* Effect.acquireRelease(
      Effect.forEach([manager, placing], ({ start }) => start, { discard: true }),
      () => Effect.forEach(components, ({ stop }) => stop, { discard: true })
    )
    const admin = fromConnection(server.connect(identities.admin))
    const gate = makeServerGate(timers)
    yield* createClasses(fromConnection(server.connect(identities.storage)), plan)
    // Drivers of other names are whoever's who tries them here; those of a scenario are nobody's.
    const drivers = plan === undefined ? {} : undefined
    yield* Layer.build(modelledStorageDriver(gate.wrap(server.connect(identities.storage)), drivers))
    const storage = new ModelledStorage({
      connection: server.connect(identities.storage),
      timers,
      machineOf: (name) => machines.of(name)
    })
    const fleet = yield* liveFleet({
      release,
      kubelet: plan?.settings.kubelet ?? noKubeletSettings,
      seed,
      groups: plan === undefined ? groupsOf(values) : groupsOfPlan(plan),
      assignsPodCIDRs: controllerManager.allocateNodeCIDRs === true,
      connect: (node) => gate.wrap(server.connect(identities.node(node))),
      components,
      gate,
      wrapRuntime: (node, runtime) => new GatedRuntime(node, runtime, storage),
      ...(cloud === undefined ? {} : { cloudOf: cloud.of }),
      ...(cloud?.askCloud === undefined ? {} : { askCloud: cloud.askCloud })
    }).pipe(Effect.provideService(Cluster, admin))
    machines.of = fleet.machine
    if (plan !== undefined || given.has("nodes") || given.has("zones")) yield* tellOfOtherFleet(fleet)
    // One of the masters: others may not grant what they do not hold themselves.
    if (clouds.length > 0) yield* allowCloudControllers(fromConnection(server.connect(identities.observer)))
    // Not before: a machine that is not there yet is none that is gone.
    yield* Effect.forEach(clouds, ({ start }) => start, { discard: true })
    yield* nodesReady(admin, fleet.unharmed)
    const seconds = ((timers.now() - startedMs) / 1000 / values.speed).toFixed(1)
    if (plan !== undefined) {
      yield* nodesPlaceable(admin, fleet.unharmed)
      yield* createObjects(admin, plan)
      yield* playEvents(plan, admin, fleet)
    }
    const struck = fleet.size() - fleet.unharmed()
    print(
      struck === 0
        ? `${fleet.size() === 1 ? "1 node is" : `${fleet.size()} nodes are`} Ready after ${seconds} s: ${url}`
        : `${fleet.unharmed()} of ${fleet.size()} nodes ${fleet.unharmed() === 1 ? "is" : "are"} Ready after ${seconds} s, and faults are on the others (rollcall fault list): ${url}`
    )
    const file = (yield* Path.Path).resolve(values["kubeconfig-out"] || kubeconfigFile)
    print(
      shared === undefined
        ? `export KUBECONFIG=${file}`
        : `${shared.name} is the current context of ${shared.file} until this ends`
    )
    if (values.demo) {
      yield* nodesPlaceable(admin, fleet.unharmed)
      yield* createDemo(admin)
    }
    if (values["exit-when-ready"]) return
    if (values.demo) for (const line of suggestions(environment.npm_lifecycle_event !== undefined)) print(line)
    return yield* Effect.never
  },
  Effect.provide(byDefault(PodRuntimes, PodRuntimes.layerModelled()))
)
