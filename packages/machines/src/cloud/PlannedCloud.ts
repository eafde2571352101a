import { parseDuration } from "@rollcall/api"
import { Duration, Share, TextMap } from "@rollcall/input"
import type { CloudSettings } from "@rollcall/node-controller"
import * as Schema from "effect/Schema"

const optional = Schema.optionalKey

const addressTypes = ["InternalIP", "ExternalIP", "Hostname", "InternalDNS", "ExternalDNS"] as const

/** What the cloud reports about a machine instead of the machine's own values. */
const InstanceSpec = Schema.Struct({
  instanceType: optional(Schema.String),
  zone: optional(Schema.String),
  region: optional(Schema.String),
  labels: optional(TextMap),
  addresses: optional(Schema.Array(Schema.Struct({ type: Schema.Literals(addressTypes), address: Schema.String })))
})
export interface InstanceSpec extends Schema.Schema.Type<typeof InstanceSpec> {}

/** `config.cloudProvider` of a scenario: a modelled cloud for its machines. */
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
  /** How long a stopped machine exists before the cloud deletes it; undefined if it is kept. */
  readonly keepStoppedMs: number | undefined
  /** Returns the instance settings of a machine. Its own entry overrides its group's, which overrides the default. */
  readonly specOf: (node: string, group: string | undefined) => InstanceSpec
  readonly controllers: Partial<CloudSettings>
}

/** Plans the cloud that a scenario configures. `controllers` are the settings of its controllers. */
export const planCloud = (
  { errorRate = 0, instances = {}, instanceType, keepStopped, labels, latency, name }: CloudProviderSpec,
  controllers: Partial<CloudSettings>
): PlannedCloud => {
  const defaults: InstanceSpec = {
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(labels === undefined ? {} : { labels })
  }
  return {
    name: name ?? "modelled",
    latencyMs: latency === undefined ? 0 : parseDuration(latency),
    errorRate,
    keepStoppedMs: keepStopped === undefined ? undefined : parseDuration(keepStopped),
    specOf: (node, group) => ({ ...defaults, ...(group === undefined ? {} : instances[group]), ...instances[node] }),
    controllers
  }
}
