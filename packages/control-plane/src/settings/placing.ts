import type { Release } from "@rollcall/api"
import { type InvalidInput, invalid, wrongValue } from "@rollcall/input"
import {
  decodeSchedulerConfiguration,
  type Plugins,
  plain,
  type SchedulerConfig,
  SchedulerPlugins
} from "@rollcall/scheduler"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

/**
 * The fields of a KubeSchedulerConfiguration that configure the scheduler's process, as other components have them,
 * too.
 */
const processFields = ["clientConnection", "leaderElection"]

const kind = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" }

const pick = (config: Readonly<Record<string, unknown>>, wanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([name]) => wanted(name)))

/**
 * Returns the scheduler's configuration with these plugins of the user, which it may name. Fails for the name of an
 * unknown plugin.
 */
export type Placing = (plugins: Plugins) => Result.Result<Partial<SchedulerConfig>, InvalidInput>

/** The configuration of Kubernetes' default scheduler. */
export const defaultPlacing: Placing = () => Result.succeed({})

/**
 * Resolves the scheduler's configuration with the `SchedulerPlugins` service. Fails for the name of an unknown plugin.
 */
export const placingHere = (placing: Placing): Effect.Effect<Partial<SchedulerConfig>, InvalidInput> =>
  Effect.flatMap(SchedulerPlugins.given, (plugins) => Effect.fromResult(placing(plugins)))

/** A KubeSchedulerConfiguration in two parts. */
export interface SchedulerParts {
  readonly placing: Placing
  /** The fields for `readConfig`: the process's clients and its leader election. */
  readonly process: unknown
}

/**
 * Reads the fields of a KubeSchedulerConfiguration; `base` is their path in the file. apiVersion and kind are optional.
 * A plugin name that Kubernetes does not have may be a user's plugin: `placing` checks it.
 */
export const readPlacing = (
  file: string,
  base: string,
  config: unknown,
  release: Release,
  warnings: Array<string>
): Result.Result<SchedulerParts, InvalidInput> => {
  if (config === undefined) return Result.succeed({ placing: defaultPlacing, process: undefined })
  if (!Predicate.isReadonlyObject(config)) return Result.fail(invalid(file, base, wrongValue(config, "an object")))
  const pathInFile = (path: string) => [base, path].filter((part) => part !== "").join(".")
  const configuration = { ...kind, ...pick(config, (name) => !processFields.includes(name)) }
  const decode = (plugins: Plugins | "unknown") => {
    const registry = plugins === "unknown" ? plugins : Record.map(plugins, plain)
    return decodeSchedulerConfiguration(configuration, { release, plugins: registry, place: { file, path: base } })
  }
  return Result.map(decode("unknown"), (decoded) => {
    warnings.push(...decoded.warnings.map((warning) => `${file}: ${pathInFile(warning)}`))
    return {
      placing: (plugins) => Result.map(decode(plugins), ({ config }) => config),
      process: pick(config, (name) => processFields.includes(name))
    }
  })
}
