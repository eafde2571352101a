import { defaultRelease, type Release } from "@rollcall/api"
import { InvalidInput, type Place } from "@rollcall/input"
import * as Result from "effect/Result"
import { type Profile, profileOf } from "../Profile.ts"
import type { SchedulerConfig } from "../SchedulerConfig.ts"
import { defaultPlugins, type PluginRegistry, plain } from "./plugins.ts"
import { Reader } from "./Reader.ts"
import { builtInPlugins, type ProfileDefaults, readProfile } from "./readProfile.ts"

/** What decoding depends on besides the configuration. */
export interface DecodeOptions {
  /**
   * Custom plugins, by their name in the file: each profile runs them after Kubernetes' own, unless it disables them.
   * `unknown` accepts any name, for a check before the custom plugins are loaded.
   */
  readonly plugins?: PluginRegistry | "unknown"
  /** The release whose default profile the configuration changes; by default the newest. */
  readonly release?: Release
  /** The file and path of the configuration, which problems name. */
  readonly place?: Place
}

const DEFAULT_PLACE: Place = { file: "KubeSchedulerConfiguration", path: "" }

/** A valid configuration. */
export interface DecodedConfiguration {
  /** The settings of the file, for `KubeScheduler.layer`. */
  readonly config: Partial<SchedulerConfig>
  /** A text for each field that kube-scheduler knows and that has no effect here. */
  readonly warnings: ReadonlyArray<string>
}

/** Top-level fields that have an effect. */
const supported = [
  "apiVersion",
  "kind",
  "percentageOfNodesToScore",
  "podInitialBackoffSeconds",
  "podMaxBackoffSeconds",
  "profiles"
]

/** Top-level fields that concern kube-scheduler's process, or are not implemented here. */
const unsupported = [
  "clientConnection",
  "delayCacheUntilActive",
  "enableContentionProfiling",
  "enableProfiling",
  "extenders",
  "healthzBindAddress",
  "leaderElection",
  "metricsBindAddress",
  "parallelism"
]

const readBackoff = (reader: Reader, fields: Readonly<Record<string, unknown>>) => {
  const initial = reader.integer(fields.podInitialBackoffSeconds, "podInitialBackoffSeconds", 1) ?? 1
  const maximum = reader.integer(fields.podMaxBackoffSeconds, "podMaxBackoffSeconds", 0) ?? 10
  if (maximum < initial && maximum !== 0) {
    reader.expected(
      "podMaxBackoffSeconds",
      maximum,
      `at least podInitialBackoffSeconds, ${initial}; or 0 for no back-off`
    )
  }
  return { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: maximum }
}

/** Filters of the release that current releases do not have, such as NodeCondition. */
const formerFilters = ({ filters }: Profile): PluginRegistry =>
  Object.fromEntries(
    filters.filter(({ name }) => !Object.hasOwn(defaultPlugins, name)).map((filter) => [filter.name, plain({ filter })])
  )

/**
 * Decodes a KubeSchedulerConfiguration that was parsed from YAML or JSON. It is as strict as kube-scheduler: an unknown
 * field is a problem. Fails with all problems that were found. Upstream: pkg/scheduler/apis/config/{v1,validation}.
 */
export const decodeSchedulerConfiguration = (
  value: unknown,
  { place = DEFAULT_PLACE, plugins = {}, release = defaultRelease }: DecodeOptions = {}
): Result.Result<DecodedConfiguration, InvalidInput> => {
  const profile = profileOf(release)
  const custom = plugins === "unknown" ? {} : plugins
  const registry = { ...formerFilters(profile), ...defaultPlugins, ...custom }
  const isKubernetes = (name: string) => Object.hasOwn(registry, name) || builtInPlugins.includes(name)
  const reader = new Reader(place, (name) => plugins === "unknown" && name !== "" && !isKubernetes(name))
  const fields = reader.object(value, "", [...supported, ...unsupported])
  if (value === undefined || value === null) reader.expected("", value, "a KubeSchedulerConfiguration")
  for (const [name, expected] of [
    ["apiVersion", "kubescheduler.config.k8s.io/v1"],
    ["kind", "KubeSchedulerConfiguration"]
  ] as const) {
    if (fields[name] !== expected) reader.expected(name, fields[name], expected)
  }
  for (const name of unsupported) if (fields[name] !== undefined) reader.unsupported(name)
  const percentageOfNodesToScore =
    reader.integer(fields.percentageOfNodesToScore, "percentageOfNodesToScore", 0, 100) ?? 0
  const backoff = readBackoff(reader, fields)
  const defaults: ProfileDefaults = {
    profile,
    percentageOfNodesToScore,
    registry,
    added: Object.keys(custom).filter((name) => !Object.hasOwn(defaultPlugins, name))
  }
  const entries = reader.list(fields.profiles, "profiles")
  const profiles = entries.map((entry, index) => readProfile(reader, entry, `profiles[${index}]`, defaults))
  profiles.forEach(({ schedulerName }, index) => {
    const path = `profiles[${index}].schedulerName`
    if (schedulerName === "") reader.expected(path, schedulerName, "a name")
    if (profiles.findIndex((other) => other.schedulerName === schedulerName) < index) {
      reader.expected(path, schedulerName, "a name of its own for each profile")
    }
  })
  if (reader.problems.length > 0) return Result.fail(new InvalidInput({ problems: reader.problems }))
  const [first, ...otherProfiles] = profiles
  const config = { percentageOfNodesToScore, ...backoff, ...first, otherProfiles }
  return Result.succeed({ config, warnings: reader.warnings })
}
