import { defaultRelease, type Release } from "@rollcall/api"
import { InvalidInput, type Place } from "@rollcall/input"
import * as Result from "effect/Result"
import { type Profile, profileOf } from "../Profile.ts"
import type { SchedulerConfig } from "../SchedulerConfig.ts"
import { defaultPlugins, type PluginRegistry, plain } from "./plugins.ts"
import { Reader } from "./Reader.ts"
import { builtIn, type ProfileDefaults, readProfile } from "./readProfile.ts"

export interface DecodeOptions {
  /**
   * Custom plugins, by their name in the file: each profile runs them after Kubernetes' own, unless it disables them.
   * `unknown`: the custom plugins are not known yet, and any name is accepted.
   */
  readonly plugins?: PluginRegistry | "unknown"
  /** The release whose default profile the file changes. */
  readonly release?: Release
  /** Where the configuration stands, as problems name it. */
  readonly place?: Place
}

const NOWHERE: Place = { file: "KubeSchedulerConfiguration", path: "" }

export interface DecodedConfiguration {
  /** The settings of the file, for `KubeScheduler.layer`. */
  readonly config: Partial<SchedulerConfig>
  /** Fields that kube-scheduler knows and that have no effect here. */
  readonly warnings: ReadonlyArray<string>
}

const supported = [
  "apiVersion",
  "kind",
  "percentageOfNodesToScore",
  "podInitialBackoffSeconds",
  "podMaxBackoffSeconds",
  "profiles"
]

/** Fields about kube-scheduler's process, or without a meaning here. */
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
  const most = reader.integer(fields.podMaxBackoffSeconds, "podMaxBackoffSeconds", 0) ?? 10
  if (most < initial && most !== 0) {
    reader.expected("podMaxBackoffSeconds", most, `at least podInitialBackoffSeconds, ${initial}; or 0 for no back-off`)
  }
  return { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: most }
}

/** Filters of a release that later ones do not have. */
const othersOf = ({ filters }: Profile): PluginRegistry =>
  Object.fromEntries(
    filters.filter(({ name }) => !Object.hasOwn(defaultPlugins, name)).map((filter) => [filter.name, plain({ filter })])
  )

/**
 * Decodes a KubeSchedulerConfiguration that was parsed from YAML or JSON. As strict as kube-scheduler: an unknown
 * field is a problem. Upstream: pkg/scheduler/apis/config/{v1,validation}.
 */
export const decodeSchedulerConfiguration = (
  value: unknown,
  { place = NOWHERE, plugins = {}, release = defaultRelease }: DecodeOptions = {}
): Result.Result<DecodedConfiguration, InvalidInput> => {
  const profile = profileOf(release)
  const own = plugins === "unknown" ? {} : plugins
  const registry = { ...othersOf(profile), ...defaultPlugins, ...own }
  const isKubernetes = (name: string) => Object.hasOwn(registry, name) || builtIn.includes(name)
  const reader = new Reader(place, (name) => plugins === "unknown" && name !== "" && !isKubernetes(name))
  const fields = reader.object(value, "", [...supported, ...unsupported])
  if (value === undefined || value === null) reader.expected("", value, "a KubeSchedulerConfiguration")
  for (const [name, wanted] of [
    ["apiVersion", "kubescheduler.config.k8s.io/v1"],
    ["kind", "KubeSchedulerConfiguration"]
  ] as const) {
    if (fields[name] !== wanted) reader.expected(name, fields[name], wanted)
  }
  for (const name of unsupported) if (fields[name] !== undefined) reader.unsupported(name)
  const share = reader.integer(fields.percentageOfNodesToScore, "percentageOfNodesToScore", 0, 100) ?? 0
  const backoff = readBackoff(reader, fields)
  const defaults: ProfileDefaults = {
    profile,
    percentageOfNodesToScore: share,
    registry,
    added: Object.keys(own).filter((name) => !Object.hasOwn(defaultPlugins, name))
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
  const config = { percentageOfNodesToScore: share, ...backoff, ...first, otherProfiles }
  return Result.succeed({ config, warnings: reader.warnings })
}
