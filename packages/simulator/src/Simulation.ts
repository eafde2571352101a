import {
  formatTime,
  type KindName,
  type KubeObject,
  type ObjectOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PodDisruptionBudget
} from "@rollcall/api"
import {
  ApiServer,
  defaultAdmissionPlugins,
  defaultStorageClassAdmission,
  storageObjectInUse
} from "@rollcall/api-server"
import { fromConnection, splitKey } from "@rollcall/cluster"
import { podSwap } from "@rollcall/kubelet"
import { layerMemory } from "@rollcall/store"
import { loggedErrors, makeVirtualTime, rethrowErrors, type VirtualServices } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { makeProbe } from "./expect/probes.ts"
import { makeWorkloads } from "./expect/Workloads.ts"
import type { Plan } from "./input/load.ts"
import type { LoadedObject } from "./input/objects.ts"
import { type InvalidInput, invalid } from "./input/Problem.ts"
import { makeInvariants } from "./invariants/invariants.ts"
import type { ScenarioResult } from "./Result.ts"
import { inNamespace } from "./report/owners.ts"
import type { ReportContext } from "./report/ReportContext.ts"
import { rulesOf } from "./report/Rules.ts"
import { classOnlyOf } from "./report/staticPods.ts"
import { completeNode } from "./snapshot/completeNode.ts"
import { completePod } from "./snapshot/completePod.ts"
import { summarise } from "./summary.ts"
import { makeTrace } from "./trace/Trace.ts"
import type { TraceEntry } from "./trace/TraceEntry.ts"
import { createLoaded, placed } from "./world/actions.ts"
import { makeClients } from "./world/Clients.ts"
import { rehearsedCloud } from "./world/Cloud.ts"
import { type ControllerObserver, electing, heldLeases, makeControlPlane } from "./world/ControlPlane.ts"
import { makeDeletions } from "./world/Deletions.ts"
import { isElectionLease } from "./world/Election.ts"
import { makeFleet } from "./world/Fleet.ts"
import { GatedRuntime } from "./world/GatedRuntime.ts"
import { identities } from "./world/identities.ts"
import { ModelledStorage } from "./world/ModelledStorage.ts"
import { observe } from "./world/Observation.ts"
import { makeServerGate } from "./world/ServerGate.ts"
import { makeSharing } from "./world/sharing.ts"
import { modelledStorageDriver } from "./world/storageDriver.ts"
import { scheduleEvents } from "./world/timetable.ts"
import { traceShutdown } from "./world/traceShutdown.ts"
import { withOutsideOwners } from "./world/withOutsideOwners.ts"
import { makeZoneReporter } from "./world/ZoneReporter.ts"

/** When virtual time begins: any instant would do, but every run has the same. */
const START_MS = 1_767_225_600_000
/** Virtual time between two looks at whether the caller wants a pause. */
const STRIDE_MS = 1_000
/** Controllers find a cluster whose kubelets have registered, not one that is about to: nothing is down only because it is new. */
const CONTROL_PLANE_START_MS = 500
/** How often the controllers' metrics are looked at. */
const SCRAPE_MS = 1_000

export interface SimulateOptions {
  /** Told of each trace entry as it happens. */
  readonly onEntry?: (entry: TraceEntry) => void
  /** Put every heartbeat in the trace. */
  readonly traceLeases?: boolean
}

/** A rehearsal under way. It moves only while `runWhile` runs, and then synchronously. */
export interface Simulation {
  readonly elapsedMs: () => number
  /** Timers and callbacks run so far. */
  readonly steps: () => number
  readonly isOver: () => boolean
  /** The objects of a kind as the API shows them now. */
  readonly list: <K extends KindName>(kind: K) => Effect.Effect<ReadonlyArray<ObjectOf<K>>>
  /** Runs until the end, or until `goOn` says no. */
  readonly runWhile: (goOn: () => boolean) => void
  /** What became of it, so far; `wallSeconds` is what it took. */
  readonly result: (wallSeconds: number) => ScenarioResult
  readonly reportContext: ReportContext
}

const admissionOf = ({ release, settings: { apiServer }, storage }: Pick<Plan, "release" | "settings" | "storage">) => {
  const { defaultNotReadyTolerationSeconds: notReady, defaultUnreachableTolerationSeconds: unreachable } = apiServer
  return [
    ...defaultAdmissionPlugins({
      release,
      ...(typeof notReady === "number" ? { notReadySeconds: notReady } : {}),
      ...(typeof unreachable === "number" ? { unreachableSeconds: unreachable } : {})
    }),
    ...(storage === undefined ? [] : [defaultStorageClassAdmission, storageObjectInUse])
  ]
}

const DEFAULT_EVICTION_RATE = 0.1
const DEFAULT_SECONDARY_RATE = 0.01

const evictionRateOf = ({ settings: { controllerManager } }: Pick<Plan, "settings">): number =>
  typeof controllerManager.nodeEvictionRate === "number" ? controllerManager.nodeEvictionRate : DEFAULT_EVICTION_RATE

const highestRateOf = (plan: Pick<Plan, "settings">): number => {
  const { secondaryNodeEvictionRate: secondary } = plan.settings.controllerManager
  return Math.max(evictionRateOf(plan), typeof secondary === "number" ? secondary : DEFAULT_SECONDARY_RATE)
}

/**
 * Builds the world of a plan at its time 0: an API server over a store in memory, machines with kubelets behind their links,
 * the controllers and the scheduler, all on one virtual clock. Fails if the API refuses an object of the plan.
 */
export const simulate = Effect.fnUntraced(function* (
  given: Plan,
  options: SimulateOptions = {}
): Effect.fn.Return<Simulation, InvalidInput, Scope.Scope> {
  // What stays alive with the simulation is all but the objects: those of a snapshot can be as large as the world itself.
  const { objects, snapshot, ...plan } = given
  const known = snapshot.filter(({ kind }) => kind === "Node").length
  const errors = { handle: rethrowErrors }
  const time = makeVirtualTime(START_MS, { handleError: (...error) => errors.handle(...error) })
  const { timers } = time
  const elapsedMs = () => timers.now() - START_MS
  // What the programs of the world would write in their logs is of no interest: the trace tells.
  const seeded = <A, E>(effect: Effect.Effect<A, E, VirtualServices>) =>
    Random.withSeed(Effect.provideService(effect, References.MinimumLogLevel, "None"), plan.seed)
  /** Runs an effect of the modelled world to its end, at its own time. */
  const within = <A, E>(effect: Effect.Effect<A, E, VirtualServices>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const exit = time.run(seeded(effect))
      return Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.failCause(exit.cause)
    })
  const scope = yield* Effect.acquireRelease(Scope.make(), (opened) => within(Scope.close(opened, Exit.void)))

  const built = yield* within(
    Layer.buildWithScope(ApiServer.layer({ admission: admissionOf(plan) }).pipe(Layer.provide(layerMemory())), scope)
  ).pipe(Effect.orDie)
  const server = Context.get(built, ApiServer)
  const gate = makeServerGate(timers)
  const deletions = makeDeletions()
  server.setAudit(deletions.audit)
  // A real cluster's election is none of this one's processes.
  // Classes alone would say that there are no claims, where none are shown.
  const concerns = ({ kind }: LoadedObject) => plan.storage !== undefined || kind !== "StorageClass"
  const kept = snapshot.filter(({ object }) => !isElectionLease(object, electing)).filter(concerns)
  const completed = (object: KubeObject) => completePod(completeNode(object), formatTime(START_MS))
  yield* within(
    server.restore([...kept.map(placed).map(completed).map(makeSharing()), ...heldLeases(plan, START_MS)])
  ).pipe(Effect.mapError((error) => invalid(plan.file, "spec.cluster.snapshot", error.message)))

  const workloads = makeWorkloads({ unknown: plan.unknown, outside: new Set(plan.outside.map(({ uid }) => uid)) })
  const zoneOf = (node: string): string => observation.zoneOf(node)
  const probes = plan.expectations.map((expectation) => makeProbe(expectation, workloads, zoneOf))
  const entryProbes = probes.flatMap(({ entry }) => entry ?? [])
  const trace = makeTrace({
    elapsedMs,
    onEntry: (entry) => {
      invariants.entry(entry)
      for (const probe of entryProbes) probe(entry, elapsedMs())
      options.onEntry?.(entry)
    }
  })
  const invariants = makeInvariants({
    known: {
      node: (name) => observation.nodes.get(name),
      pod: (namespace, name) => observation.podOf(namespace, name),
      pods: () => observation.pods(),
      budgets: (namespace) => {
        const found: Array<PodDisruptionBudget> = []
        server.registry.kinds.PodDisruptionBudget.cache.visit(namespace, (object) =>
          found.push(object as PodDisruptionBudget)
        )
        return found
      },
      claim: (key) => {
        const { name, namespace } = splitKey(key)
        return server.registry.kinds.PersistentVolumeClaim.cache.get(namespace, name)?.object as
          | PersistentVolumeClaim
          | undefined
      },
      volume: (name) =>
        server.registry.kinds.PersistentVolume.cache.get("", name)?.object as PersistentVolume | undefined
    },
    machineOf: (name) => machineByName.get(name),
    nodesPerSecond: highestRateOf(plan),
    podsFitBy: plan.release.podsFitBy,
    elapsedMs,
    onSplitBrain: (found) => trace.add("SplitBrain", found)
  })
  const logged = yield* loggedErrors
  // A world that is complete goes on after an error, as a live one does; an error while it is made ends the making.
  errors.handle = (source, error, fields) => {
    logged(source, error, fields)
    invariants.errorHandled(source, error)
  }
  server.registry.kinds.PersistentVolume.cache.observe((next, previous) =>
    invariants.volume(previous as PersistentVolume | undefined, next as PersistentVolume | undefined)
  )
  const admin = fromConnection(server.connect(identities.admin))
  const observation = observe({
    connection: server.connect(identities.observer),
    elapsedMs,
    trace,
    probes,
    workloads,
    onPod: (previous, next) => invariants.pod(previous, next),
    onNode: (previous, next) => invariants.node(previous, next),
    askers: deletions,
    swapOf: (pod) => {
      const machine = machineByName.get(pod.spec.nodeName ?? "")
      return machine === undefined ? [] : podSwap(pod, machine.host.machine(), machine.kubelet.config, given.release)
    },
    traceLeases: options.traceLeases === true
  })

  const storage = new ModelledStorage({
    connection: server.connect(identities.admin),
    timers,
    machineOf: (name) => machineByName.get(name)
  })
  const machines = makeFleet(given, {
    timers,
    wrapRuntime: (node, runtime) => new GatedRuntime(node, runtime, storage),
    connect: (name) => gate.wrap(server.connect(identities.node(name))),
    fork: (effect) => void time.fork(seeded(effect)),
    onShutdown: (node, event) => traceShutdown(trace, node, event),
    ...(given.cloud === undefined || given.release.cloudControllers === "external"
      ? {}
      : { askCloud: (node: string) => cloud?.answerTo(node) })
  })
  const machineByName = new Map(machines.map((machine) => [machine.name, machine]))
  const cloud = rehearsedCloud(given, timers, machineByName)
  // What was there before time 0 has been seen; what comes now happens.
  time.runUntil(START_MS)
  yield* within(
    server.restore(
      machines.flatMap(({ registered }) => (registered === undefined ? [] : (cloud?.settled(registered) ?? registered)))
    )
  ).pipe(Effect.mapError((error) => invalid(plan.file, "spec.cluster.nodes", error.message)))
  for (const storageClass of plan.storage?.classes ?? []) {
    yield* within(admin.create("StorageClass", storageClass)).pipe(Effect.orDie)
  }
  for (const loaded of objects.filter(concerns)) {
    yield* within(createLoaded(admin, loaded)).pipe(
      Effect.mapError((error) => invalid(loaded.file, loaded.path, error.message))
    )
  }
  const clients = makeClients(timers, START_MS, (name) =>
    gate.wrap(withOutsideOwners(server.connect(identities.component(name)), plan.outside))
  )
  const zones = makeZoneReporter(trace, START_MS, elapsedMs, () => plane.zoneMetrics())
  const refusals: Array<string> = []
  const observer: ControllerObserver = {
    ...zones.observer,
    passEnded: (pass) => {
      zones.observer.passEnded(pass)
      invariants.passEnded()
    }
  }
  const plane = yield* within(
    makeControlPlane({ ...plan, planeCloud: cloud, hasVolumes: plan.storage !== undefined }, clients, {
      observer,
      electionClient: clients.plain,
      onExit: (component, message) => refusals.push(`${component} ended: ${message}`),
      onLeader: (component, holder) => trace.add("LeaderChanged", { component, holder })
    })
  )
  if (plan.storage !== undefined) {
    const driver = modelledStorageDriver(gate.wrap(server.connect(identities.storage)))
    yield* within(Layer.buildWithScope(driver, scope))
  }
  time.fork(seeded(plane.elect))
  for (const { start } of machines) start()
  timers.after(CONTROL_PLANE_START_MS, () => {
    time.fork(seeded(Effect.forEach(plane.components, ({ start }) => start, { discard: true })))
  })
  yield* Effect.addFinalizer(() => within(Effect.forEach(plane.components, ({ stop }) => stop, { discard: true })))

  const scrape = () => {
    zones.scrape()
    timers.after(SCRAPE_MS, scrape)
  }
  scrape()

  scheduleEvents({
    plan,
    timers,
    startMs: START_MS,
    fork: (effect) => void time.fork(seeded(effect)),
    trace,
    cluster: admin,
    drainer: fromConnection(withOutsideOwners(server.connect(identities.drainer), plan.outside)),
    machines,
    gate,
    cloud: cloud?.modelled,
    components: plane.components,
    observation,
    onRefusal: ({ index }, message) => refusals.push(`spec.events[${index}]: the API refused: ${message}`),
    onWarning: ({ index }, message) => refusals.push(`spec.events[${index}]: ${message}`)
  })

  const result = (wallSeconds: number): ScenarioResult => {
    const endMs = elapsedMs()
    return {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ScenarioResult",
      metadata: { name: plan.name },
      spec: { release: plan.release.name, seed: plan.seed, durationSeconds: plan.durationMs / 1000 },
      expectations: probes.map((probe, index) => ({
        name: plan.expectations[index]?.spec.name ?? "",
        ...probe.finish(endMs)
      })),
      summary: {
        ...summarise(trace.entries(), workloads, observation.readiness, known, zoneOf, endMs),
        clients: clients.summaries(),
        events: time.steps(),
        wallSeconds,
        traceDigest: trace.digest()
      },
      warnings: [...plan.warnings, ...refusals],
      trace: trace.entries(),
      events: observation.events(),
      metrics: zones.metrics(),
      ...(invariants.broken().length === 0 ? {} : { bugs: invariants.broken() })
    }
  }
  return {
    elapsedMs,
    steps: time.steps,
    isOver: () => elapsedMs() >= plan.durationMs,
    list: (kind) => Effect.orDie(Effect.map(within(admin.list(kind)), ({ items }) => items)),
    runWhile: (goOn) => {
      while (elapsedMs() < plan.durationMs && goOn()) {
        time.runUntil(START_MS + Math.min(plan.durationMs, elapsedMs() + STRIDE_MS))
        invariants.look()
      }
    },
    result,
    reportContext: {
      description: plan.description,
      zoneOf,
      evictionRate: evictionRateOf(plan),
      podEviction: plan.release.podEviction,
      events: plan.events,
      rules: rulesOf(plan),
      classOnly: classOnlyOf(plan.groups),
      owners: observation.owners,
      outside: new Set(plan.outside.map(({ kind, name, namespace }) => inNamespace(namespace, `${kind}/${name}`))),
      get nodes() {
        return [...observation.nodes.keys()]
      },
      get workloads() {
        return workloads.all()
      }
    }
  }
})
