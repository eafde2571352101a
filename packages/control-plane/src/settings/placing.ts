import type { Release } from "@rollcall/api"
import { InvalidInput, invalid, isRecord, show } from "@rollcall/input"
import { decodeSchedulerConfiguration, type SchedulerConfig } from "@rollcall/scheduler"
import * as Result from "effect/Result"

/** Fields of a KubeSchedulerConfiguration that are of the process around the scheduler: settings, as other components have them. */
const processFields = ["clientConnection", "leaderElection"]

const kind = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" }

const pick = (config: Readonly<Record<string, unknown>>, wanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([name]) => wanted(name)))

/** A KubeSchedulerConfiguration in its two parts. */
export interface SchedulerParts {
  /** How pods are placed. */
  readonly placing: Partial<SchedulerConfig>
  /** What is left for `readConfig`: the process's clients and its election. */
  readonly process: unknown
}

/**
 * Reads the fields of a KubeSchedulerConfiguration; `base` is the path at which they stand in the file. apiVersion and kind may
 * be left out.
 */
export const readPlacing = (
  file: string,
  base: string,
  config: unknown,
  release: Release,
  warnings: Array<string>
): Result.Result<SchedulerParts, InvalidInput> => {
  if (config === undefined) return Result.succeed({ placing: {}, process: undefined })
  if (!isRecord(config)) return Result.fail(invalid(file, base, `found ${show(config)}, expected an object`))
  const at = (path: string) => [base, path].filter((part) => part !== "").join(".")
  const decoded = decodeSchedulerConfiguration(
    { ...kind, ...pick(config, (name) => !processFields.includes(name)) },
    { release }
  )
  if (Result.isFailure(decoded)) {
    const problems = decoded.failure.map(({ expected, found, path, suggestion }) => ({
      file,
      path: at(path),
      message: `found ${found}, expected ${expected}${suggestion}`
    }))
    return Result.fail(new InvalidInput({ problems }))
  }
  warnings.push(...decoded.success.warnings.map((warning) => `${file}: ${at(warning)}`))
  return Result.succeed({
    placing: decoded.success.config,
    process: pick(config, (name) => processFields.includes(name))
  })
}
