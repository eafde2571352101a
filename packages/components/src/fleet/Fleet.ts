import { type ConfigMap, nodeLeaseNamespace, type Release } from "@rollcall/api"
import {
  Cluster,
  type ClusterError,
  type ClusterShape,
  type Connection,
  Informer,
  isAlreadyExists,
  isNotFound,
  makeEventRecorder,
  nextChance
} from "@rollcall/cluster"
import { type KubeletConfig, type KubeletMeter, type KubeletSettings, modelUpstream } from "@rollcall/kubelet"
import type { ModelledCloud } from "@rollcall/node-controller"
import {
  type Component,
  type FleetOptions,
  hardwareOf,
  type Machine,
  type MachineSpec,
  machinesOfGroup,
  makeMachine,
  ownPodRange,
  readKubeletFields,
  refusedResources,
  resolveKubeletInput,
  type ServerGate,
  withKubeletLayer
} from "@rollcall/simulator/world"
import { containedRunner, guarded, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeFaultKeeper, selectMachines } from "./FaultKeeper.ts"
import {
  type FleetFault,
  type FleetGroup,
  faultsName,
  fleetName,
  fleetNamespace,
  membersOf,
  readFaults,
  readGroups
} from "./FleetDocument.ts"

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
  readonly wrapRuntime?: FleetOptions["wrapRuntime"]
  /** The cloud that kubelets ask for their machines, where they do that themselves. */
  readonly askCloud?: FleetOptions["askCloud"]
}

export interface LiveFleet {
  /** When its first kubelet was started: the time 0 of what happens to it. */
  readonly startedMs: () => number
  readonly size: () => number
  readonly machines: () => IterableIterator<Machine>
  readonly machine: (name: string) => Machine | undefined
  /** The names of the nodes that a selection means. */
  readonly select: (selection: FleetFault["nodes"]) => ReadonlyArray<string>
}

const toData = (groups: ReadonlyArray<FleetGroup>): Readonly<Record<string, string>> =>
  Object.fromEntries(groups.map((group) => [group.name, JSON.stringify(group)]))

/** Writes down what the fleet shall be, unless the cluster says so already. */
const writeDown = (cluster: ClusterShape, groups: ReadonlyArray<FleetGroup>) => {
  const map: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: fleetName, namespace: fleetNamespace },
    data: toData(groups)
  }
  return cluster.create("ConfigMap", map).pipe(Effect.catchIf(isAlreadyExists, () => Effect.void))
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
  const common: FleetOptions = {
    timers,
    release,
    seed,
    model: { ...modelUpstream, leaseSpread: true },
    connect,
    fork,
    ...(options.meter === undefined ? {} : { meter: options.meter }),
    ...(options.wrapRuntime === undefined ? {} : { wrapRuntime: options.wrapRuntime }),
    ...(options.askCloud === undefined ? {} : { askCloud: options.askCloud }),
    recorderOf: (host, connection) => makeEventRecorder(connection, timers, chance, { component: "kubelet", host })
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

  const { config: shared } = yield* Effect.fromResult(resolveKubeletInput(kubelet, release))

  /** What a group's kubelets are told; the same as all others where kubelet would refuse the group's own words. */
  const configOf = (group: FleetGroup): Result.Result<KubeletConfig, string> => {
    const where = `configmap/${fleetName}: data.${group.name}`
    const startable = (config: KubeletConfig) => {
      const refusal = refusedResources({ config, ...hardwareOf(group) })
      return refusal === undefined
        ? Result.succeed(config)
        : Result.fail(`${where}: the kubelet would not start: ${refusal}`)
    }
    if (group.kubelet === undefined) return startable(shared)
    const warnings: Array<string> = []
    const own = readKubeletFields(`configmap/${fleetName}`, `data.${group.name}.kubelet`, group.kubelet, warnings).pipe(
      Result.flatMap((layer) => resolveKubeletInput(withKubeletLayer(kubelet, layer), release)),
      Result.mapError(({ message }) => message),
      Result.flatMap((resolved) => Result.map(startable(resolved.config), () => resolved))
    )
    if (Result.isFailure(own)) {
      warn([own.failure])
      return startable(shared)
    }
    warn([...warnings, ...own.success.warnings])
    return Result.succeed(own.success.config)
  }

  /** A group of which no kubelet would start is left out. */
  const machinesOf = (group: FleetGroup): ReadonlyArray<MachineSpec> => {
    const config = configOf(group)
    if (Result.isSuccess(config)) return machinesOfGroup({ group, names: membersOf(group), kubelet: config.success })
    warn([config.failure])
    return []
  }

  const ranges = new Set<number>()
  let startedMs = timers.now()

  const become = (wanted: ReadonlyMap<string, FleetGroup>) => {
    const specs = [...wanted.values()].flatMap(machinesOf)
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
        machine.kubelet.startKubelet()
      }
      guarded(timers, "fleet", make, { node: name })
    }
    if (machines.size !== before) log("Kubelets run", { kubelets: machines.size })
  }

  const keeper = makeFaultKeeper({
    machines: () => machines.values(),
    components,
    gate,
    cloud: cloudOf?.(machines),
    timers,
    seed,
    told: (what, id, { fault }, nodes) => log(`A fault ${what}`, { id, fault, nodes: nodes.length }),
    over: (id) =>
      fork(
        cluster
          .patch("ConfigMap", { namespace: fleetNamespace, name: faultsName }, "merge", { data: { [id]: null } })
          .pipe(Effect.ignore)
      )
  })

  const seen = (map: ConfigMap, gone: boolean) => {
    const now = gone ? undefined : map
    if (map.metadata.name === fleetName) {
      const { entries, problems } = readGroups(now)
      warn(problems)
      become(entries)
    } else if (map.metadata.name === faultsName) {
      const { entries, problems } = readFaults(now)
      warn(problems)
      fork(keeper.keep(entries as ReadonlyMap<string, FleetFault>))
    }
  }
  yield* writeDown(cluster, groups)
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
  const fleet: LiveFleet = {
    startedMs: () => startedMs,
    size: () => machines.size,
    machines: () => machines.values(),
    machine: (name) => machines.get(name),
    select: (selection) => selectMachines(selection, [...machines.values()], seed)
  }
  return fleet
})
