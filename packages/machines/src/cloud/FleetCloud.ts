import {
  labelBetaInstanceType,
  labelBetaRegion,
  labelBetaZone,
  labelInstanceType,
  labelRegion,
  labelZone,
  type Node,
  type NodeAddress
} from "@rollcall/api"
import { type ModelledHostOptions, makeModelledHost, nodeInCloud } from "@rollcall/kubelet"
import {
  addressesToWrite,
  type CloudProviderShape,
  type CloudSettings,
  type InstanceMetadata,
  type ModelledCloud,
  type ModelledInstance,
  makeModelledCloud,
  nodeInitializer
} from "@rollcall/node-controller"
import { guarded, rngFor, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Machine } from "../Machine.ts"
import type { PlannedCloud } from "./PlannedCloud.ts"

/** A machine as its cloud sees it. */
export type CloudMachine = Pick<Machine, "name" | "group" | "powered"> & {
  readonly kubelet: { readonly config: Pick<Machine["kubelet"]["config"], "nodeLabels" | "providerID"> }
}

/** What the cloud answers a kubelet that asks for its own machine. */
type MachineInfo = NonNullable<ReturnType<NonNullable<ModelledHostOptions["askCloud"]>>>

/** The cloud of a fleet, for controllers, kubelets and faults. */
export interface FleetCloud {
  readonly provider: CloudProviderShape
  /** The settings of the cloud's controllers. */
  readonly controllers: Partial<CloudSettings>
  /** The cloud that faults act on; undefined if faults do not affect this cloud. */
  readonly modelled: ModelledCloud | undefined
  /**
   * Returns the answer to a kubelet of an old release that asks for its machine, or undefined if the cloud does not
   * answer.
   */
  readonly answerTo: (machine: string) => MachineInfo | undefined
  /** Returns the Node as it is after the cloud's controllers, or in old releases its kubelet, have initialized it. */
  readonly settled: (node: Node) => Node
  /** Ends the checks of stopped machines. */
  readonly stop: () => void
}

/** The dependencies and settings of a fleet's cloud. */
export interface CloudOptions {
  readonly plan: PlannedCloud
  readonly seed: number
  readonly timers: TimersShape
  readonly machines: () => Iterable<CloudMachine>
  readonly machineOf: (name: string) => CloudMachine | undefined
  /** Returns the machine's Node in the snapshot, if there is one. It determines the machine's place and provider ID. */
  readonly nodeOf: (name: string) => Node | undefined
  /** Whether kubelets ask for their machines themselves, because the cloud has no controllers. */
  readonly askedByKubelets?: boolean
}

/** The period in which a cloud that deletes stopped machines checks which are off. */
const CHECK_PERIOD_MS = 1000

/** Returns the labels that kubelets of old releases set: only the beta labels, because others did not exist. */
const betaLabels = ({ instanceType, region, zone }: InstanceMetadata): Readonly<Record<string, string>> => ({
  ...(instanceType === "" ? {} : { [labelBetaInstanceType]: instanceType }),
  ...(zone === "" ? {} : { [labelBetaZone]: zone }),
  ...(region === "" ? {} : { [labelBetaRegion]: region })
})

/** Makes the cloud of a fleet, which reads the state of the fleet's machines. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one table of machines and the cloud calls on it.
export const makeFleetCloud = ({
  askedByKubelets = false,
  machineOf,
  machines,
  nodeOf,
  plan,
  seed,
  timers
}: CloudOptions): FleetCloud => {
  const { controllers, errorRate, keepStoppedMs, latencyMs, name, specOf } = plan
  const offSince = new Map<string, number>()
  /**
   * Returns since when a machine has been off, as far as this function was called then; undefined while it has power.
   */
  const offSinceMs = (machine: string): number | undefined => {
    if (machineOf(machine)?.powered !== false) {
      offSince.delete(machine)
      return undefined
    }
    const since = offSince.get(machine) ?? timers.now()
    offSince.set(machine, since)
    return since
  }
  const addresses = new Map<string, ReadonlyArray<NodeAddress>>()
  const addressesOf = (machine: string): ReadonlyArray<NodeAddress> => {
    const known = addresses.get(machine)
    if (known !== undefined) return known
    const found = makeModelledHost({ name: machine }).machine().addresses
    const internalIPs = found.filter(({ type }) => type === "InternalIP")
    addresses.set(machine, internalIPs)
    return internalIPs
  }
  const instanceOf = (machine: string): ModelledInstance | undefined => {
    const found = machineOf(machine)
    if (found === undefined) return undefined
    const node = nodeOf(machine)
    const labels = { ...found.kubelet.config.nodeLabels, ...node?.metadata.labels }
    const spec = specOf(machine, found.group)
    const providerID = node?.spec?.providerID || found.kubelet.config.providerID
    return {
      instanceType: spec.instanceType ?? labels[labelInstanceType] ?? "",
      zone: spec.zone ?? labels[labelZone] ?? "",
      region: spec.region ?? labels[labelRegion] ?? "",
      labels: spec.labels ?? {},
      addresses: spec.addresses ?? addressesOf(machine),
      ...(providerID === "" ? {} : { providerID })
    }
  }
  const modelled = makeModelledCloud({
    name,
    instanceOf,
    offSinceMs,
    nowMs: timers.now,
    random: rngFor(seed, "cloud"),
    latencyMs,
    errorRate,
    keepStoppedMs
  })
  const answers = new Map<string, MachineInfo>()
  /** Returns the same object while the cloud's answer is the same. */
  const answerOf = (machine: string, metadata: InstanceMetadata | undefined): MachineInfo | undefined => {
    if (metadata === undefined) return undefined
    const { nodeAddresses, providerID = "" } = metadata
    const known = answers.get(machine)
    if (known?.providerID === providerID) return known
    const hostname: NodeAddress = { type: "Hostname", address: machine }
    const hasHostname = nodeAddresses.some(({ type }) => type === "Hostname")
    const answer = {
      providerID,
      labels: betaLabels(metadata),
      addresses: hasHostname ? nodeAddresses : [...nodeAddresses, hostname]
    }
    answers.set(machine, answer)
    return answer
  }
  const initializedByKubelet = (node: Node): Node => {
    const { name = "" } = node.metadata
    const answer = answerOf(name, modelled.metadataOf(name))
    if (answer === undefined) return node
    const { addresses } = answer
    return { ...nodeInCloud(node, answer), status: { ...node.status, addresses } }
  }
  let isStopped = false
  const checkStopped = () => {
    if (isStopped) return
    for (const { name } of machines()) guarded(timers, "modelled cloud", () => modelled.metadataOf(name), { name })
    timers.after(CHECK_PERIOD_MS, checkStopped)
  }
  if (keepStoppedMs !== undefined) checkStopped()
  return {
    modelled,
    answerTo: (machine) => answerOf(machine, modelled.answerTo(machine)),
    provider: modelled.provider,
    controllers,
    settled: (node) => {
      if (askedByKubelets) return initializedByKubelet(node)
      const metadata = modelled.metadataOf(node.metadata.name ?? "")
      const change = metadata === undefined ? undefined : nodeInitializer(node, metadata)
      if (metadata === undefined || change === undefined || Result.isFailure(change)) return node
      const initialised = change.success(node)
      const addresses = Result.getOrElse(addressesToWrite(initialised, metadata.nodeAddresses), () => undefined)
      return addresses === undefined ? initialised : { ...initialised, status: { ...initialised.status, addresses } }
    },
    stop: () => {
      isStopped = true
    }
  }
}
