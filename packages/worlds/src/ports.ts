import { AdmissionPlugins, Authorizers } from "@rollcall/api-server"
import { Observers } from "@rollcall/control-plane"
import { NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links } from "@rollcall/machines"
import { CloudProvider, noObserver } from "@rollcall/node-controller"
import { SchedulerPlugins } from "@rollcall/scheduler"
import { Store } from "@rollcall/store"
import type { Timers } from "@rollcall/time"
import * as Predicate from "effect/Predicate"

/** The ports that a user's layer may provide. */
export type WorldPort =
  | Store
  | PodRuntimes
  | NodeHosts
  | Links
  | Inhibitors
  | CloudProvider
  | SchedulerPlugins
  | AdmissionPlugins
  | Authorizers
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
  /** Describes the expected service when the given value is not one; undefined when it is. */
  readonly problem: (service: unknown) => string | undefined
}

export type PortName =
  | "Store"
  | "PodRuntimes"
  | "NodeHosts"
  | "Links"
  | "Inhibitors"
  | "CloudProvider"
  | "SchedulerPlugins"
  | "AdmissionPlugins"
  | "Authorizers"
  | "Observers"

const has = (service: unknown, ...methods: ReadonlyArray<string>): boolean =>
  Predicate.isReadonlyObject(service) && methods.every((name) => typeof service[name] === "function")

const points = ["filter", "score", "reserve", "permit", "preBind", "postBind"]

const isPlugin = (plugin: unknown): boolean =>
  Predicate.isReadonlyObject(plugin) &&
  Object.keys(plugin).length > 0 &&
  Object.keys(plugin).every((point) => points.includes(point))

const observerMethods = [...Object.keys(noObserver), "volumeDetached"]

const isObserver = (observer: unknown): boolean =>
  Predicate.isReadonlyObject(observer) &&
  Object.entries(observer).every(([name, method]) => observerMethods.includes(name) && typeof method === "function")

/** A port whose service makes one value for each machine. */
const factory = ({ key }: { readonly key: string }, name: PortName, made: string): PortSpec => ({
  key,
  name,
  problem: (service) => (has(service, "of") ? undefined : `{ of: (machine) => ${made} }`)
})

/** A port whose service is a list. */
const list = (
  { key }: { readonly key: string },
  name: PortName,
  member: string,
  isMember: (member: unknown) => boolean
): PortSpec => ({
  key,
  name,
  problem: (service) =>
    Array.isArray(service) && service.every((one) => isMember(one)) ? undefined : `a list of ${member}`
})

const cloud = ["instanceExists", "instanceShutdown", "instanceMetadata"]

export const ports: ReadonlyArray<PortSpec> = [
  {
    key: Store.key,
    name: "Store",
    problem: (service) =>
      has(service, "get", "range", "write", "watch", "compact") ? undefined : "{ get, range, write, watch, compact }"
  },
  factory(PodRuntimes, "PodRuntimes", "PodRuntime"),
  factory(NodeHosts, "NodeHosts", "NodeHost"),
  factory(Links, "Links", "Link"),
  factory(Inhibitors, "Inhibitors", "MachineShutdown"),
  {
    key: CloudProvider.key,
    name: "CloudProvider",
    problem: (service) =>
      Predicate.isReadonlyObject(service) && typeof service.name === "string" && has(service.instances, ...cloud)
        ? undefined
        : `{ name, instances: { ${cloud.join(", ")} } }`
  },
  {
    key: SchedulerPlugins.key,
    name: "SchedulerPlugins",
    problem: (service) =>
      Predicate.isReadonlyObject(service) && Object.values(service).every(isPlugin)
        ? undefined
        : `plugins by name, each of ${points.join(", ")}`
  },
  list(AdmissionPlugins, "AdmissionPlugins", "{ name, admits, mutate?, validate? }", (plugin) => has(plugin, "admits")),
  list(Authorizers, "Authorizers", "{ authorize, rulesFor }", (one) => has(one, "authorize", "rulesFor")),
  list(Observers, "Observers", `observers: ${observerMethods.join(", ")}`, isObserver)
]

const machines = ["PodRuntimes", "NodeHosts", "Links", "Inhibitors"] as const

/** The commands that read layers, and the ports that each of them reads. */
export const readers = {
  "rollcall simulate": ["Store", ...machines, "CloudProvider", "SchedulerPlugins", "AdmissionPlugins", "Observers"],
  "rollcall up": [
    "Store",
    ...machines,
    "CloudProvider",
    "SchedulerPlugins",
    "AdmissionPlugins",
    "Authorizers",
    "Observers"
  ],
  "rollcall apiserver": ["Store", "AdmissionPlugins", "Authorizers"],
  "rollcall controller-manager": ["Observers"],
  "rollcall cloud-controller-manager": ["CloudProvider"],
  "rollcall kubelet": machines,
  "rollcall scheduler": ["SchedulerPlugins"]
} as const satisfies Readonly<Record<string, ReadonlyArray<PortName>>>

export type LayersReader = keyof typeof readers
