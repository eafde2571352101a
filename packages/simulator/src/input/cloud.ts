import { parseDuration, type Release } from "@rollcall/api"
import { isDurationText, type Problem, type Setting, type SettingValues } from "@rollcall/input"
import type { CloudSettings } from "@rollcall/node-controller"
import * as Schema from "effect/Schema"
import type { FaultName } from "./eventNames.ts"

const DURATION = "a duration that is not negative, such as 50ms, 90s or 5m, or a number of seconds"
const Duration = Schema.Union([
  Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: DURATION })),
  Schema.String.check(Schema.makeFilter(isDurationText, { expected: DURATION }))
]).annotate({ expected: DURATION })

const optional = Schema.optionalKey
const Labels = Schema.Record(Schema.String, Schema.String)

const addressTypes = ["InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS"] as const

/** What the cloud says of a machine, where it is not what the machine says itself. */
const InstanceSpec = Schema.Struct({
  instanceType: optional(Schema.String),
  zone: optional(Schema.String),
  region: optional(Schema.String),
  labels: optional(Labels),
  addresses: optional(Schema.Array(Schema.Struct({ type: Schema.Literals(addressTypes), address: Schema.String })))
})
export interface InstanceSpec extends Schema.Schema.Type<typeof InstanceSpec> {}

/** `config.cloudProvider`: a modelled cloud that the machines of a scenario are of. */
export const CloudProviderSpec = Schema.Struct({
  name: optional(Schema.String),
  instanceType: optional(Schema.String),
  labels: optional(Labels),
  instances: optional(Schema.Record(Schema.String, InstanceSpec)),
  latency: optional(Duration),
  errorRate: optional(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "a number from 0 to 1" }))
  ),
  keepStopped: optional(Duration)
})
export interface CloudProviderSpec extends Schema.Schema.Type<typeof CloudProviderSpec> {}

/** What of cloud-controller-manager's configuration (CloudControllerManagerConfiguration) is honoured. */
export const cloudControllerManagerSettings: ReadonlyArray<Setting> = [
  {
    key: "nodeMonitorPeriodMs",
    flag: "node-monitor-period",
    path: "kubeCloudShared.nodeMonitorPeriod",
    type: "duration"
  },
  {
    key: "nodeStatusUpdateFrequencyMs",
    flag: "node-status-update-frequency",
    path: "nodeStatusUpdateFrequency",
    type: "duration"
  },
  {
    key: "concurrentNodeSyncs",
    flag: "concurrent-node-syncs",
    path: "nodeController.concurrentNodeSyncs",
    type: "integer"
  },
  {
    key: "concurrentNodeStatusUpdates",
    flag: "concurrent-node-status-updates",
    path: "nodeController.concurrentNodeStatusUpdates",
    type: "integer"
  }
]

/** A cloud as a scenario wants it. */
export interface PlannedCloud {
  readonly name: string
  readonly latencyMs: number
  readonly errorRate: number
  readonly keepStoppedMs: number | undefined
  /** What it says of the machine, the machine's own entry before its group's, and of all others. */
  readonly specOf: (node: string, group: string | undefined) => InstanceSpec
  readonly controllers: Partial<CloudSettings>
}

export const planCloud = (
  { errorRate = 0, instances = {}, instanceType, keepStopped, labels, latency, name }: CloudProviderSpec,
  controllers: SettingValues
): PlannedCloud => {
  const all: InstanceSpec = {
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(labels === undefined ? {} : { labels })
  }
  return {
    name: name ?? "modelled",
    latencyMs: latency === undefined ? 0 : parseDuration(latency),
    errorRate,
    keepStoppedMs: keepStopped === undefined ? undefined : parseDuration(keepStopped),
    specOf: (node, group) => ({ ...all, ...(group === undefined ? {} : instances[group]), ...instances[node] }),
    controllers
  }
}

/** Kubelets on machines of a cloud leave it to its controllers to say what they are; those of old asked it themselves. */
export const withCloudFlag = (
  flags: ReadonlyArray<string>,
  cloud: CloudProviderSpec | undefined,
  { cloudControllers }: Release
): ReadonlyArray<string> =>
  cloud === undefined || cloudControllers !== "external" || flags.some((flag) => flag.startsWith("--cloud-provider"))
    ? flags
    : [...flags, "--cloud-provider=external"]

const cloudFaults: ReadonlyArray<FaultName> = ["cloud-delete", "cloud-deny", "cloud-error", "cloud-latency"]

/** Faults of a cloud need one. */
export const cloudProblems = (
  file: string,
  cloud: CloudProviderSpec | undefined,
  events: ReadonlyArray<{ readonly fault?: FaultName }> = []
): ReadonlyArray<Problem> =>
  cloud !== undefined
    ? []
    : events.flatMap(({ fault }, index) =>
        fault !== undefined && cloudFaults.includes(fault)
          ? [{ file, path: `spec.events[${index}].fault`, message: `${fault} needs spec.config.cloudProvider` }]
          : []
      )
