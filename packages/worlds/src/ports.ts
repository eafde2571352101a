import { AdmissionPlugins } from "@rollcall/api-server"
import { isRecord } from "@rollcall/input"
import { PodRuntimes } from "@rollcall/kubelet"
import { SchedulerPlugins } from "@rollcall/scheduler"
import { Store } from "@rollcall/store"
import type { Timers } from "@rollcall/time"

/** What a layer of one's own may provide. */
export type WorldPort = Store | PodRuntimes | SchedulerPlugins | AdmissionPlugins

/** What a layer of one's own may ask for: time, which is virtual in a rehearsal. Chance is Effect's `Random`, and needs no asking. */
export type WorldBase = Timers

/** A port as files without types have to meet it. */
export interface PortSpec {
  /** The tag's identifier: equal for each copy of its package. */
  readonly key: string
  /** What a person calls it. */
  readonly name: PortName
  /** What is expected of a service, where this is none. */
  readonly problem: (service: unknown) => string | undefined
}

export type PortName = "Store" | "PodRuntimes" | "SchedulerPlugins" | "AdmissionPlugins"

const has = (service: unknown, ...methods: ReadonlyArray<string>): boolean =>
  isRecord(service) && methods.every((name) => typeof service[name] === "function")

const points = ["filter", "score", "reserve", "permit", "preBind", "postBind"]

const isPlugin = (plugin: unknown): boolean =>
  isRecord(plugin) && Object.keys(plugin).length > 0 && Object.keys(plugin).every((point) => points.includes(point))

export const ports: ReadonlyArray<PortSpec> = [
  {
    key: Store.key,
    name: "Store",
    problem: (service) =>
      has(service, "get", "range", "write", "watch", "compact") ? undefined : "{ get, range, write, watch, compact }"
  },
  {
    key: PodRuntimes.key,
    name: "PodRuntimes",
    problem: (service) => (has(service, "of") ? undefined : "{ of: (machine) => PodRuntime }")
  },
  {
    key: SchedulerPlugins.key,
    name: "SchedulerPlugins",
    problem: (service) =>
      isRecord(service) && Object.values(service).every(isPlugin)
        ? undefined
        : `plugins by name, each of ${points.join(", ")}`
  },
  {
    key: AdmissionPlugins.key,
    name: "AdmissionPlugins",
    problem: (service) =>
      Array.isArray(service) && service.every((plugin) => has(plugin, "admits"))
        ? undefined
        : "a list of { name, admits, mutate?, validate? }"
  }
]

/** Each world's reader of layers, and which ports it reads. */
export const readers = {
  "rollcall simulate": ["Store", "PodRuntimes", "SchedulerPlugins", "AdmissionPlugins"],
  "rollcall up": ["Store", "PodRuntimes", "SchedulerPlugins", "AdmissionPlugins"],
  "rollcall apiserver": ["Store", "AdmissionPlugins"],
  "rollcall kubelet": ["PodRuntimes"],
  "rollcall scheduler": ["SchedulerPlugins"]
} as const satisfies Readonly<Record<string, ReadonlyArray<PortName>>>

export type LayersReader = keyof typeof readers
