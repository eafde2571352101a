import { type ConfigMap, formatDuration, nodeLeaseNamespace, type Release } from "@rollcall/api"
import {
  ApiError,
  Cluster,
  type ClusterError,
  type ClusterShape,
  type ComponentLog,
  type Connection,
  ConnectionError,
  componentLog,
  Informer,
  isAlreadyExists,
  isNotFound,
  makeEventRecorder,
  nextChance
} from "@rollcall/cluster"
import type { Component } from "@rollcall/control-plane"
import { type KubeletMeter, type KubeletSettings, modelUpstream, PodRuntimes } from "@rollcall/kubelet"
import {
  type Machine,
  type MachineOptions,
  type MachineSpec,
  makeMachine,
  ownPodRange,
  type ServerGate
} from "@rollcall/machines"
import type { ModelledCloud } from "@rollcall/node-controller"

import { containedRunner, guarded, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Semaphore from "effect/Semaphore"
import { readMap } from "../commands/maps.ts"
import { limitedLog } from "../log/limitedLog.ts"
import { endOf, type FaultNews, makeFaultKeeper, selectMachines } from "./FaultKeeper.ts"
import { makeFaultRecords } from "./FaultRecords.ts"
import {
  type FleetFault,
  type FleetGroup,
  faultsName,
  fleetName,
  fleetNamespace,
  readFaults,
  readGroups
} from "./FleetDocument.ts"
import { groupMachines } from "./groupMachines.ts"

export interface LiveFleetOptions {
  readonly release: Release
  /** Settings of every kubelet; those of a group count more. */
  readonly kubelet: KubeletSettings
  readonly seed: number
  /** What the fleet is when the cluster does not say so yet. */
  readonly groups: ReadonlyArray<FleetGroup>
  readonly connect: (node: string) => Connection
  /** The cluster gives each Node a range for its pods: until then its network is not ready. Absent: not known to do so. */
  readonly assignsPodCIDRs?: boolean
  readonly components: ReadonlyArray<Component>
  readonly gate: ServerGate
  readonly meter?: KubeletMeter
  /** Makes the cloud that the machines are of, which looks them up by name. */
  readonly cloudOf?: (machines: ReadonlyMap<string, Machine>) => ModelledCloud
  /** Called with each machine before its kubelet starts. */
  readonly onMachine?: (machine: Machine, spec: MachineSpec) => void
  /** Stands between a kubelet and the runtime of its machine; absent: nothing does. */
  readonly wrapRuntime?: MachineOptions["wrapRuntime"]
  /** The cloud that kubelets ask for their machines, where they do that themselves. */
  readonly askCloud?: MachineOptions["askCloud"]
}

export interface LiveFleet {
  /** When its first kubelet was started: the time 0 of what happens to it. */
  readonly startedMs: () => number
  readonly size: () => number
  readonly machines: () => IterableIterator<Machine>
  readonly machine: (name: string) => Machine | undefined
  /** How many nodes no fault is on. */
  readonly unharmed: () => number
  /** Whether it is what it was told to be: a cluster that has a fleet already keeps that. */
  readonly isAsTold: boolean
  /** The names of the nodes that a selection means. */
  readonly select: (selection: FleetFault["nodes"]) => ReadonlyArray<string>
}

const toData = (groups: ReadonlyArray<FleetGroup>): Readonly<Record<string, string>> =>
  Object.fromEntries(groups.map((group) => [group.name, JSON.stringify(group)]))

/** Writes down what the fleet shall be, unless the cluster says something already; false: something else. */
const writeDown = (cluster: ClusterShape, groups: ReadonlyArray<FleetGroup>) => {
  const map: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: fleetName, namespace: fleetNamespace },
    data: toData(groups)
  }
  return cluster.create("ConfigMap", map).pipe(
    Effect.as(true),
    Effect.catchIf(isAlreadyExists, () =>
      Effect.map(readMap(cluster, fleetName), (there) => Equal.equals(there?.data ?? {}, map.data))
    ),
    Effect.mapError((error) => explained(error, `the fleet's ConfigMap ${fleetNamespace}/${fleetName}`))
  )
}

const explained = (error: ClusterError, what: string): ClusterError => {
  const message = `${what} cannot be written: ${error.message}`
  return error._tag === "ApiError"
    ? new ApiError({ status: { ...error.status, message } })
    : new ConnectionError({ message })
}

const unlessGone = (removed: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(removed, isNotFound, () => Effect.void)

const removeNode = (cluster: ClusterShape, name: string) =>
  unlessGone(cluster.delete("Node", { name })).pipe(
    Effect.andThen(unlessGone(cluster.delete("Lease", { namespace: nodeLeaseNamespace, name }))),
    Effect.catch(({ message }) =>
      Effect.logWarning("A node that was taken away could not be deleted").pipe(Effect.annotateLogs({ name, message }))
    )
  )

const faultNews: Readonly<Record<FaultNews, string>> = {
  begins: "A fault begins",
  "goes on": "A fault is in force again",
  ends: "A fault ends",
  "is over": "The time of a fault is over"
}

/** What a log line says of a fault: `remaining` by the cluster's clock. */
const faultFields = (id: string, fault: FleetFault, nodes: ReadonlyArray<string>, nowMs: number) => {
  const endMs = endOf(fault)
  return {
    id,
    fault: fault.fault,
    nodes: nodes.length,
    ...(endMs === undefined
      ? {}
      : { remaining: formatDuration(Math.max(0, Math.round((endMs - nowMs) / 1000)) * 1000) })
  }
}

/**
 * Kubelets on modelled machines, as many as the cluster's ConfigMaps say, with the faults that stand there. They end with the
 * scope. Needs a cluster whose user may read and write those ConfigMaps and delete Nodes.
 */
export const liveFleet = Effect.fnUntraced(function* (options: LiveFleetOptions) {
  const { assignsPodCIDRs = false, cloudOf, components, connect, gate, groups, kubelet, release, seed } = options
  const timers = yield* Timers
  const cluster = yield* Cluster
  const fork = yield* containedRunner(timers, "fleet")
  const machines = new Map<string, Machine>()
  const chance = yield* nextChance
  const limited = limitedLog(yield* componentLog, timers)
  const logOf =
    (kubelet: string): ComponentLog =>
    (severity, message, fields) =>
      limited(severity, message, { ...fields, kubelet })
  const common: MachineOptions = {
    timers,
    runtimes: yield* PodRuntimes,
    release,
    seed,
    model: { ...modelUpstream, leaseSpread: true },
    connect,
    fork,
    ...(options.meter === undefined ? {} : { meter: options.meter }),
    ...(options.wrapRuntime === undefined ? {} : { wrapRuntime: options.wrapRuntime }),
    ...(options.askCloud === undefined ? {} : { askCloud: options.askCloud }),
    logOf,
    recorderOf: (host, connection) =>
      makeEventRecorder(connection, timers, chance, { component: "kubelet", host, log: logOf(host) })
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const machine of machines.values()) machine.kubelet.stopKubelet()
    })
  )
  const log = (message: string, fields: Readonly<Record<string, unknown>>) =>
    fork(Effect.logInfo(message).pipe(Effect.annotateLogs(fields)))
  const warn = (problems: ReadonlyArray<string>) => {
    for (const problem of problems) fork(Effect.logWarning(problem))
  }

  const machinesOf = yield* groupMachines({ kubelet, release, warn })
  const ranges = new Set<number>()
  let startedMs = timers.now()
  const unstarted: Array<Machine> = []

  const become = Effect.fnUntraced(function* (wanted: ReadonlyMap<string, FleetGroup>) {
    const specs: Array<MachineSpec> = []
    for (const group of wanted.values()) for (const spec of yield* machinesOf(group)) specs.push(spec)
    const names = new Set(specs.map(({ name }) => name))
    for (const [name, machine] of machines) {
      if (names.has(name)) continue
      machines.delete(name)
      guarded(timers, "fleet", () => machine.kubelet.crash(), { node: name })
      fork(removeNode(cluster, name))
    }
    const before = machines.size
    if (before === 0) startedMs = timers.now()
    for (const spec of specs) {
      if (machines.has(spec.name)) continue
      const { name } = spec
      // A machine that cannot be made is no reason to do without those after it.
      const make = () => {
        const podCIDR = assignsPodCIDRs ? "await" : ownPodRange(name, ranges)
        const machine = makeMachine(common, { ...spec, podCIDR })
        machines.set(name, machine)
        options.onMachine?.(machine, spec)
        unstarted.push(machine)
      }
      guarded(timers, "fleet", make, { node: name })
    }
    if (machines.size !== before) log("Kubelets run", { kubelets: machines.size })
  })

  /** What is wrong with a machine is so before its kubelet starts. */
  const startThem = () => {
    for (const { kubelet, name } of unstarted.splice(0)) {
      if (!keeper.holds(name)) guarded(timers, "fleet", () => kubelet.startKubelet(), { node: name })
    }
  }

  let groupsMap: ConfigMap | undefined
  let faultsMap: ConfigMap | undefined
  /** As the fleet is, of each map. */
  let groupsDone: ConfigMap | undefined
  let faultsDone: ConfigMap | undefined
  const records = makeFaultRecords(cluster, () => faultsDone)
  const lock = Semaphore.makeUnsafe(1)
  const keeper = makeFaultKeeper({
    machines: () => machines.values(),
    components,
    gate,
    cloud: cloudOf?.(machines),
    timers,
    seed,
    run: (effect) => fork(lock.withPermit(effect)),
    told: (news, id, fault, nodes) => log(faultNews[news], faultFields(id, fault, nodes, timers.now())),
    begun: records.note,
    refused: (id, fault) => {
      warn([`configmap/${faultsName}: data.${id}: ${fault.fault} does not begin: ${fault.refused}`])
      return records.note(id, fault)
    },
    over: (id) => fork(records.remove(id))
  })

  /** One after another: the fleet becomes what its map says, then has the faults of the other; what is new starts last. */
  const follow = (isRestart: boolean) =>
    lock.withPermit(
      Effect.gen(function* () {
        if (groupsMap !== groupsDone) {
          groupsDone = groupsMap
          const { entries, problems } = readGroups(groupsMap)
          warn(problems)
          yield* become(entries)
        }
        if (faultsMap !== faultsDone) {
          faultsDone = faultsMap
          const { entries, problems } = readFaults(faultsMap)
          warn(problems)
          yield* keeper.keep(entries, isRestart)
        }
        startThem()
      })
    )
  let isFollowing = false
  const seen = (map: ConfigMap, gone: boolean) => {
    const now = gone ? undefined : map
    if (map.metadata.name === fleetName) groupsMap = now
    else if (map.metadata.name === faultsName) faultsMap = now
    else return
    if (isFollowing) fork(follow(false))
  }
  const isAsTold = yield* writeDown(cluster, groups)
  const maps = yield* Informer.make("ConfigMap", {
    namespace: fleetNamespace,
    handlers: [
      {
        onAdd: (map) => seen(map, false),
        onUpdate: (_, map) => seen(map, false),
        onDelete: (map) => seen(map, true)
      }
    ]
  })
  yield* maps.synced
  isFollowing = true
  yield* follow(true)
  const fleet: LiveFleet = {
    isAsTold,
    startedMs: () => startedMs,
    size: () => machines.size,
    machines: () => machines.values(),
    machine: (name) => machines.get(name),
    unharmed: () => {
      const struck = keeper.struck()
      return struck.size === 0 ? machines.size : [...machines.keys()].filter((name) => !struck.has(name)).length
    },
    select: (selection) => selectMachines(selection, [...machines.values()], seed)
  }
  return fleet
})
