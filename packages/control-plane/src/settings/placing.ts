import type { Release } from "@rollcall/api"
import { type InvalidInput, invalid, show } from "@rollcall/input"
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

/** Fields of a KubeSchedulerConfiguration that are of the process around the scheduler: settings, as other components have them. */
const processFields = ["clientConnection", "leaderElection"]

const kind = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" }

const pick = (config: Readonly<Record<string, unknown>>, wanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([name]) => wanted(name)))

/** How pods are placed, once the plugins of one's own are known: a configuration may name them. */
export type Placing = (plugins: Plugins) => Result.Result<Partial<SchedulerConfig>, InvalidInput>

/** As Kubernetes does. */
export const defaultPlacing: Placing = () => Result.succeed({})

/** How pods are placed with the `SchedulerPlugins` at hand. Fails where a name is that of none. */
export const placingHere = (placing: Placing): Effect.Effect<Partial<SchedulerConfig>, InvalidInput> =>
  Effect.flatMap(SchedulerPlugins.given, (plugins) => Effect.fromResult(placing(plugins)))

/** A KubeSchedulerConfiguration in its two parts. */
export interface SchedulerParts {
  readonly placing: Placing
  /** What is left for `readConfig`: the process's clients and its election. */
  readonly process: unknown
}

/**
 * Reads the fields of a KubeSchedulerConfiguration; `base` is the path at which they stand in the file. apiVersion and kind may
 * be left out. Names that Kubernetes' plugins do not have may be those of plugins of one's own: they are judged by `placing`.
 */
export const readPlacing = (
  file: string,
  base: string,
  config: unknown,
  release: Release,
  warnings: Array<string>
): Result.Result<SchedulerParts, InvalidInput> => {
  if (config === undefined) return Result.succeed({ placing: defaultPlacing, process: undefined })
  if (!Predicate.isReadonlyObject(config))
    return Result.fail(invalid(file, base, `found ${show(config)}, expected an object`))
  const at = (path: string) => [base, path].filter((part) => part !== "").join(".")
  const written = { ...kind, ...pick(config, (name) => !processFields.includes(name)) }
  const decode = (plugins: Plugins | "unknown") => {
    const registry = plugins === "unknown" ? plugins : Record.map(plugins, plain)
    return decodeSchedulerConfiguration(written, { release, plugins: registry, place: { file, path: base } })
  }
  return Result.map(decode("unknown"), (decoded) => {
    warnings.push(...decoded.warnings.map((warning) => `${file}: ${at(warning)}`))
    return {
      placing: (plugins) => Result.map(decode(plugins), ({ config }) => config),
      process: pick(config, (name) => processFields.includes(name))
    }
  })
}
