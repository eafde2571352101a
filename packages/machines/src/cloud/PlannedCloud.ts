import { parseDuration } from "@rollcall/api"
import { Duration, Share, TextMap } from "@rollcall/input"
import type { CloudSettings } from "@rollcall/node-controller"
import * as Schema from "effect/Schema"

const optional = Schema.optionalKey

const addressTypes = ["InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS"] as const

/** What the cloud reports for a machine, where that differs from the machine's own values. */
const InstanceSpec = Schema.Struct({
  instanceType: optional(Schema.String),
  zone: optional(Schema.String),
  region: optional(Schema.String),
  labels: optional(TextMap),
  addresses: optional(Schema.Array(Schema.Struct({ type: Schema.Literals(addressTypes), address: Schema.String })))
})
export interface InstanceSpec extends Schema.Schema.Type<typeof InstanceSpec> {}

/** `config.cloudProvider`: a modelled cloud for the machines of a scenario. */
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

/** A cloud as configured by a scenario. */
export interface PlannedCloud {
  readonly name: string
  readonly latencyMs: number
  readonly errorRate: number
  readonly keepStoppedMs: number | undefined
  /** The instance settings of a machine: its own entry, else its group's, else the default. */
  readonly specOf: (node: string, group: string | undefined) => InstanceSpec
  readonly controllers: Partial<CloudSettings>
}

export const planCloud = (
  { errorRate = 0, instances = {}, instanceType, keepStopped, labels, latency, name }: CloudProviderSpec,
  controllers: Partial<CloudSettings>
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
