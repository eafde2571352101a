import { type ConfigMap, nodeLeaseNamespace, type Release } from "@rollcall/api"
import {
  ApiError,
  Cluster,
  type ClusterError,
  type ClusterShape,
  ConnectionError,
  Informer,
  isNotFound
} from "@rollcall/cluster"
import { Components } from "@rollcall/control-plane"
import type { KubeletSettings } from "@rollcall/kubelet"
import {
  type Machine,
  MachineCloud,
  MachineDirectory,
  type MachineSpec,
  Machines,
  ownPodRange,
  ServerGate
} from "@rollcall/machines"
import { containedRunner, guarded, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { FleetPorts } from "../serving/kubelet/fleetPorts.ts"
import { createGroupsMap } from "./createGroupsMap.ts"
import { candidatesOf, makeFaultReconciler, selectCandidates } from "./FaultReconciler.ts"
import { makeFaultRecords } from "./FaultRecords.ts"
import {
  type FleetFault,
  type FleetGroup,
  faultsName,
  fleetName,
  fleetNamespace,
  membersOf,
  podRangeOfMember,
  readFaults,
  readGroups
} from "./FleetDocument.ts"
import { type FleetPart, joinFleet } from "./FleetPart.ts"
import { faultFields, faultMessages } from "./faultFields.ts"
import { fleetCandidates } from "./fleetCandidates.ts"
import { groupMachines } from "./groupMachines.ts"
import { makeStartQueue } from "./StartQueue.ts"

export interface FleetOptions {
  readonly release: Release
  /** Settings of every kubelet; those of a group override them. */
  readonly kubelet: KubeletSettings
  readonly seed: number
  /** The initial groups, if the cluster has no fleet ConfigMap yet. */
  readonly groups: ReadonlyArray<FleetGroup>
  /** The part of a spread group that this process runs; absent if it runs all groups that are not spread. */
  readonly part?: FleetPart | undefined
  /**
   * Whether the cluster assigns pod CIDRs to Nodes, so that a node's network is not ready before. By default each
   * machine takes a CIDR of its own.
   */
  readonly assignsPodCIDRs?: boolean
  /** The ports of the nodes; absent if they are reached in this process alone. */
  readonly ports?: FleetPorts | undefined
  /** Called with each machine before its kubelet starts. */
  readonly onMachine?: (machine: Machine, spec: MachineSpec) => void
}

export interface LiveFleet {
  /**
   * Returns when its first kubelet was started, in milliseconds since the Unix epoch: time 0 of a scenario's events.
   */
  readonly startedMs: () => number
  readonly size: () => number
  readonly machines: () => IterableIterator<Machine>
  readonly machine: (name: string) => Machine | undefined
  /** Returns the number of nodes without a fault. */
  readonly nodesWithoutFault: () => number
  /**
   * Whether the fleet has the groups of the options; false if the cluster had another fleet already, which it keeps.
   */
  readonly matchesGroups: boolean
  /** Returns the names of the nodes that a selection matches. */
  readonly select: (selection: FleetFault["nodes"]) => ReadonlyArray<string>
}

const withContext = (error: ClusterError, what: string): ClusterError => {
  const message = `${what} cannot be written: ${error.message}`
  return error._tag === "ApiError"
    ? new ApiError({ status: { ...error.status, message } })
    : new ConnectionError({ message })
}

const ignoreNotFound = (removed: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(removed, isNotFound, () => Effect.void)

const removeNode = (cluster: ClusterShape, name: string) =>
  ignoreNotFound(cluster.delete("Node", { name })).pipe(
    Effect.andThen(ignoreNotFound(cluster.delete("Lease", { namespace: nodeLeaseNamespace, name }))),
    Effect.catch(({ message }) =>
      Effect.logWarning("A node that was taken away could not be deleted").pipe(Effect.annotateLogs({ name, message }))
    )
  )

const addBlocks = (taken: Set<number>, first: number, count: number) => {
  for (let block = first; block < first + count; block++) taken.add(block)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: puts the parts of a fleet together; each function in it is short.
const makeFleet = Effect.fnUntraced(function* (options: FleetOptions) {
  const { assignsPodCIDRs = false, groups, kubelet, part, release, seed } = options
  const timers = yield* Timers
  const cluster = yield* Cluster
  const { make } = yield* Machines
  const { byName: machines, remove } = yield* MachineDirectory
  const { cloud } = yield* MachineCloud
  const fork = yield* containedRunner(timers, "fleet")
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      startQueue.stop()
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
  const isOwn = ({ name, spread = false }: FleetGroup) => (part === undefined ? !spread : name === part.fleet && spread)
  /** The range of a machine's pods: of a spread group the one that is written down, of others one that is free here. */
  const podRangeOf = (group: FleetGroup | undefined, name: string) =>
    (group?.spread === true ? podRangeOfMember(group, name) : undefined) ?? ownPodRange(name, ranges)
  let startedMs = timers.now()
  const newMachines: Array<Machine> = []

  const applyGroups = Effect.fnUntraced(function* (wanted: ReadonlyMap<string, FleetGroup>) {
    const specs: Array<MachineSpec> = []
    for (const group of wanted.values()) {
      if (isOwn(group)) for (const spec of yield* machinesOf(group, membersOf(group, part))) specs.push(spec)
      else for (const [first, count] of group.podBlocks ?? []) addBlocks(ranges, first, count)
    }
    const names = new Set(specs.map(({ name }) => name))
    for (const [name, machine] of machines) {
      if (names.has(name)) continue
      remove(name)
      options.ports?.close(name)
      guarded(timers, "fleet", () => machine.crash(), { node: name })
      fork(removeNode(cluster, name))
    }
    const before = machines.size
    if (before === 0) startedMs = timers.now()
    yield* options.ports?.open([...names]) ?? Effect.void
    for (const spec of specs) {
      if (machines.has(spec.name)) continue
      const { name } = spec
      // If one machine cannot be created, continue with the others.
      const add = () => {
        const podCIDR = assignsPodCIDRs ? "await" : podRangeOf(wanted.get(spec.group ?? ""), name)
        const machine = make({ ...spec, podCIDR, reachedAt: options.ports?.of(name) })
        options.onMachine?.(machine, spec)
        newMachines.push(machine)
      }
      guarded(timers, "fleet", add, { node: name })
    }
    if (machines.size !== before) log("Kubelets run", { kubelets: machines.size })
  })

  const startQueue = makeStartQueue(
    timers,
    (machine) => machines.get(machine.name) === machine && !faultReconciler.preventsKubeletStart(machine.name)
  )

  let groupsMap: ConfigMap | undefined
  let faultsMap: ConfigMap | undefined
  /** The last applied version of each ConfigMap. */
  let appliedGroupsMap: ConfigMap | undefined
  let appliedFaultsMap: ConfigMap | undefined
  const records = makeFaultRecords(cluster, () => appliedFaultsMap)
  const lock = Semaphore.makeUnsafe(1)
  const candidates = Effect.suspend(() => {
    const own = candidatesOf(machines.values())
    const all = [...readGroups(appliedGroupsMap).entries.values()]
    if (!all.some(({ spread }) => spread === true)) return Effect.succeed(own)
    return cluster.list("Node").pipe(
      Effect.map(({ items }) => fleetCandidates(all, items)),
      Effect.catch(() => Effect.succeed(own))
    )
  })
  const faultReconciler = makeFaultReconciler({
    machines: () => machines.values(),
    candidates,
    isPart: part !== undefined,
    components: yield* Components,
    gate: yield* ServerGate,
    cloud: cloud?.modelled,
    timers,
    seed,
    run: (effect) => fork(lock.withPermit(effect)),
    onChange: (change, id, fault, nodes) => log(faultMessages[change], faultFields(id, fault, nodes, timers.now())),
    recordStart: records.update,
    recordRefusal: (id, fault) => {
      warn([`configmap/${faultsName}: data.${id}: ${fault.fault} was refused: ${fault.refused}`])
      return records.update(id, fault)
    },
    removeExpired: (id) => fork(records.remove(id))
  })

  /**
   * Applies the ConfigMaps in order: creates and deletes machines, starts and ends faults, then starts the new
   * kubelets, so that they start with their faults.
   */
  const applyConfigMaps = (isRestart: boolean) =>
    lock.withPermit(
      Effect.gen(function* () {
        if (groupsMap !== appliedGroupsMap) {
          appliedGroupsMap = groupsMap
          const { entries, problems } = readGroups(groupsMap)
          warn(problems)
          yield* applyGroups(entries)
        }
        if (faultsMap !== appliedFaultsMap) {
          appliedFaultsMap = faultsMap
          const { entries, problems } = readFaults(faultsMap)
          warn(problems)
          yield* faultReconciler.reconcile(entries, isRestart)
        }
        startQueue.start(newMachines.splice(0))
      })
    )
  let isSynced = false
  const configMapChanged = (map: ConfigMap, isDeleted: boolean) => {
    const now = isDeleted ? undefined : map
    if (map.metadata.name === fleetName) groupsMap = now
    else if (map.metadata.name === faultsName) faultsMap = now
    else return
    if (isSynced) fork(applyConfigMaps(false))
  }
  const matchesGroups = yield* Effect.mapError(
    part === undefined ? createGroupsMap(cluster, groups) : Effect.as(joinFleet(cluster, part), true),
    (error) =>
      error._tag === "InvalidInput" ? error : withContext(error, `the fleet's ConfigMap ${fleetNamespace}/${fleetName}`)
  )
  const maps = yield* Informer.make("ConfigMap", {
    namespace: fleetNamespace,
    handlers: [
      {
        onAdd: (map) => configMapChanged(map, false),
        onUpdate: (_, map) => configMapChanged(map, false),
        onDelete: (map) => configMapChanged(map, true)
      }
    ]
  })
  yield* maps.synced
  isSynced = true
  yield* applyConfigMaps(true)
  const fleet: LiveFleet = {
    matchesGroups,
    startedMs: () => startedMs,
    size: () => machines.size,
    machines: () => machines.values(),
    machine: (name) => machines.get(name),
    nodesWithoutFault: () => {
      const affectedNodes = faultReconciler.affectedNodes()
      return affectedNodes.size === 0
        ? machines.size
        : [...machines.keys()].filter((name) => !affectedNodes.has(name)).length
    },
    select: (selection) => selectCandidates(selection, candidatesOf(machines.values()), seed)
  }
  return fleet
})

/**
 * Runs kubelets on modelled machines and applies faults, as the cluster's ConfigMaps specify. They end with the
 * layer. The user of the Cluster must be allowed to read and write those ConfigMaps and delete Nodes.
 */
export class Fleet extends Context.Service<Fleet, LiveFleet>()("@rollcall/components/Fleet") {
  static readonly layer = (options: FleetOptions) => Layer.effect(Fleet, makeFleet(options))
}
