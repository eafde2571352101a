import { parseDuration } from "@rollcall/api"
import { Duration, type SettingValues, Share, TextMap } from "@rollcall/input"
import type { CloudSettings } from "@rollcall/node-controller"
import * as Schema from "effect/Schema"

const optional = Schema.optionalKey

const addressTypes = ["InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS"] as const

/** What the cloud says of a machine, where it is not what the machine says itself. */
const InstanceSpec = Schema.Struct({
  instanceType: optional(Schema.String),
  zone: optional(Schema.String),
  region: optional(Schema.String),
  labels: optional(TextMap),
  addresses: optional(Schema.Array(Schema.Struct({ type: Schema.Literals(addressTypes), address: Schema.String })))
})
export interface InstanceSpec extends Schema.Schema.Type<typeof InstanceSpec> {}

/** `config.cloudProvider`: a modelled cloud that the machines of a scenario are of. */
export const CloudProviderSpec = Schema.Struct({
  name: optional(Schema.String),
  instanceType: optional(Schema.String),
  labels: optional(TextMap),
  instances: optional(Schema.Record(Schema.String, InstanceSpec)),
  latency: optional(Duration),
  errorRate: optional(Share),
  keepStopped: optional(Duration)
})
export interface CloudProviderSpec extends Schema.Schema.Type<typeof CloudProviderSpec> {}

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
