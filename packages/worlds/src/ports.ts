import { AdmissionPlugins, Authorizers } from "@rollcall/api-server"
import { Observers } from "@rollcall/control-plane"
import { DeviceDrivers, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links } from "@rollcall/machines"
import { CloudProvider, noObserver } from "@rollcall/node-controller"
import { SchedulerPlugins } from "@rollcall/scheduler"
import { Store } from "@rollcall/store"
import type { Timers } from "@rollcall/time"
import { MetricsSource } from "@rollcall/workloads"
import * as Predicate from "effect/Predicate"

/** The ports that a user's layer may provide. */
export type WorldPort =
  | Store
  | PodRuntimes
  | NodeHosts
  | DeviceDrivers
  | Links
  | Inhibitors
  | CloudProvider
  | SchedulerPlugins
  | AdmissionPlugins
  | Authorizers
  | MetricsSource
  | Observers

/**
 * The services that a user's layer may require: time, which is virtual in a rehearsal. Randomness is Effect's `Random`,
 * which needs no requirement.
 */
export type WorldBase = Timers

/** The runtime check of a port, for files without types. */
export interface PortSpec {
  /** The tag's identifier: the same for every copy of its package. */
  readonly key: string
  /** The port's name in messages. */
  readonly name: PortName
  /** Returns the expected shape of the service, for messages, if the value does not have it; undefined if it has. */
  readonly expectedShape: (service: unknown) => string | undefined
}

export type PortName =
  | "Store"
  | "PodRuntimes"
  | "NodeHosts"
  | "DeviceDrivers"
  | "Links"
  | "Inhibitors"
  | "CloudProvider"
  | "SchedulerPlugins"
  | "AdmissionPlugins"
  | "Authorizers"
  | "MetricsSource"
  | "Observers"

const hasMethods = (service: unknown, ...methods: ReadonlyArray<string>): boolean =>
  Predicate.isReadonlyObject(service) && methods.every((name) => typeof service[name] === "function")

const extensionPoints = ["filter", "score", "reserve", "permit", "preBind", "postBind"]

const isPlugin = (plugin: unknown): boolean =>
  Predicate.isReadonlyObject(plugin) &&
  Object.keys(plugin).length > 0 &&
  Object.keys(plugin).every((point) => extensionPoints.includes(point))

const observerMethods = [...Object.keys(noObserver), "volumeDetached"]

const isObserver = (observer: unknown): boolean =>
  Predicate.isReadonlyObject(observer) &&
  Object.entries(observer).every(([name, method]) => observerMethods.includes(name) && typeof method === "function")

/** A port whose service makes one value for each machine. */
const perMachinePort = ({ key }: { readonly key: string }, name: PortName, factoryResult: string): PortSpec => ({
  key,
  name,
  expectedShape: (service) => (hasMethods(service, "of") ? undefined : `{ of: (machine) => ${factoryResult} }`)
})

/** A port whose service is a list. */
const listPort = (
  { key }: { readonly key: string },
  name: PortName,
  member: string,
  isMember: (member: unknown) => boolean
): PortSpec => ({
  key,
  name,
  expectedShape: (service) =>
    Array.isArray(service) && service.every((member) => isMember(member)) ? undefined : `a list of ${member}`
})

const instanceMethods = ["instanceExists", "instanceShutdown", "instanceMetadata"]

export const ports: ReadonlyArray<PortSpec> = [
  {
    key: Store.key,
    name: "Store",
    expectedShape: (service) =>
      hasMethods(service, "get", "range", "write", "watch", "compact")
        ? undefined
        : "{ get, range, write, watch, compact }"
  },
  perMachinePort(PodRuntimes, "PodRuntimes", "PodRuntime"),
  perMachinePort(NodeHosts, "NodeHosts", "NodeHost"),
  {
    key: DeviceDrivers.key,
    name: "DeviceDrivers",
    expectedShape: (service) => (hasMethods(service, "of") ? undefined : "{ of: (node, driver) => DeviceDriver }")
  },
  perMachinePort(Links, "Links", "Link"),
  perMachinePort(Inhibitors, "Inhibitors", "MachineShutdown"),
  {
    key: CloudProvider.key,
    name: "CloudProvider",
    expectedShape: (service) =>
      Predicate.isReadonlyObject(service) &&
      typeof service.name === "string" &&
      hasMethods(service.instances, ...instanceMethods)
        ? undefined
        : `{ name, instances: { ${instanceMethods.join(", ")} } }`
  },
  {
    key: SchedulerPlugins.key,
    name: "SchedulerPlugins",
    expectedShape: (service) =>
      Predicate.isReadonlyObject(service) && Object.values(service).every(isPlugin)
        ? undefined
        : `plugins by name, each of ${extensionPoints.join(", ")}`
  },
  listPort(AdmissionPlugins, "AdmissionPlugins", "{ name, admits, mutate?, validate? }", (plugin) =>
    hasMethods(plugin, "admits")
  ),
  listPort(Authorizers, "Authorizers", "{ authorize, rulesFor }", (member) =>
    hasMethods(member, "authorize", "rulesFor")
  ),
  {
    key: MetricsSource.key,
    name: "MetricsSource",
    expectedShape: (service) => (hasMethods(service, "ask") ? undefined : "{ ask }")
  },
  listPort(Observers, "Observers", `observers: ${observerMethods.join(", ")}`, isObserver)
]

const machinePorts = ["PodRuntimes", "NodeHosts", "DeviceDrivers", "Links", "Inhibitors"] as const

/** The commands that read layers, and the ports that each of them reads. */
export const readers = {
  "rollcall simulate": [
    "Store",
    ...machinePorts,
    "CloudProvider",
    "SchedulerPlugins",
    "AdmissionPlugins",
    "MetricsSource",
    "Observers"
  ],
  "rollcall up": [
    "Store",
    ...machinePorts,
    "CloudProvider",
    "SchedulerPlugins",
    "AdmissionPlugins",
    "Authorizers",
    "MetricsSource",
    "Observers"
  ],
  "rollcall apiserver": ["Store", "AdmissionPlugins", "Authorizers"],
  "rollcall controller-manager": ["MetricsSource", "Observers"],
  "rollcall cloud-controller-manager": ["CloudProvider"],
  "rollcall kubelet": machinePorts,
  "rollcall scheduler": ["SchedulerPlugins"]
} as const satisfies Readonly<Record<string, ReadonlyArray<PortName>>>

export type LayersReader = keyof typeof readers
