import { parseDuration, type Release } from "@rollcall/api"
import { applyMergePatch } from "@rollcall/api/patch"
import { type InvalidInput, invalid, type Place } from "@rollcall/input"
import * as Result from "effect/Result"
import { type KubeletConfig, kubeletConfigOf } from "../KubeletConfig.ts"
import type { KubeletConfiguration } from "./fields.ts"
import { kubeletFlags } from "./flags.ts"
import type { KubeletFlagValues } from "./flagValues.ts"
import { gateSettings } from "./gates.ts"
import { type ConfigLayers, mergeLayers } from "./layers.ts"
import { parseNodeIPs } from "./nodeIP.ts"
import { nodeLabelErrorsText, validateNodeLabels } from "./nodeLabels.ts"
import { startupError } from "./start.ts"
import { aggregateMessages, type ConfigValidators, validateKubeletConfiguration } from "./validate.ts"

/** The configuration files and flags of a kubelet. A flag takes precedence over files. */
export interface KubeletSettings extends ConfigLayers {
  readonly flags: KubeletFlagValues
  /** The file and path from which the flags were read. Absent if they are from the command line. */
  readonly flagsAt?: Place
}

export const noKubeletSettings: KubeletSettings = { dropIns: [], flags: {} }

export interface ResolvedKubelet {
  /** The settings that the kubelet here uses. */
  readonly config: KubeletConfig
  /** The complete configuration after defaults, files and flags are merged. */
  readonly configuration: KubeletConfiguration
  readonly warnings: ReadonlyArray<string>
}

/** The name of the command line where messages otherwise name a file. */
const COMMAND_LINE = "command line"

/** Returns an object with one value at a path: `a.b` and 1 become `{ a: { b: 1 } }`. */
const nested = (path: string, value: unknown): unknown =>
  path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value)

/**
 * Sets the configuration fields of flags. A flag replaces the field of the files even if it is a map; only feature
 * gates are merged with those of the files. A flag for a nested field leaves the other fields of the object unchanged.
 */
const applyFlags = (config: KubeletConfiguration, flags: KubeletFlagValues): KubeletConfiguration => {
  let result: unknown = config
  for (const { field, name, type } of kubeletFlags) {
    const value = flags[name]
    if (field === undefined || value === undefined) continue
    const top = field.split(".")[0] ?? field
    const replaced = field === top && type !== "gates" ? { ...(result as object), [top]: value } : undefined
    result = replaced ?? Result.getOrElse(applyMergePatch(result, nested(field, value)), () => result)
  }
  return result as KubeletConfiguration
}

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Returns the files of the configuration, as messages name them. The path is that of the last layer if all layers are
 * from one file, otherwise empty.
 */
const sourceOf = ({ base, dropIns, flagsAt }: KubeletSettings): Place => {
  const layers = [...(base === undefined ? [] : [base]), ...dropIns]
  const files = [...new Set(layers.map(({ file }) => file))]
  if (files.length === 0) return flagsAt ?? { file: COMMAND_LINE, path: "" }
  return { file: files.join(", "), path: files.length === 1 ? (layers.at(-1)?.path ?? "") : "" }
}

/** Fails with an error about the value of one flag. */
const flagFailure = ({ flagsAt }: KubeletSettings, name: string, message: string) =>
  Result.fail(
    flagsAt === undefined
      ? invalid(COMMAND_LINE, `--${name}`, message)
      : invalid(flagsAt.file, flagsAt.path, `--${name}: ${message}`)
  )

/**
 * Merges and validates the settings of a kubelet of a release. All checks of Kubernetes that do not depend on the
 * machine are made, in kubelet's order: node labels, the merged configuration, then the errors that would stop kubelet
 * while it starts.
 */
export const resolveKubelet = (
  settings: KubeletSettings,
  release: Release,
  validators: ConfigValidators = {}
): Result.Result<ResolvedKubelet, InvalidInput> => {
  const { flags } = settings
  const source = sourceOf(settings)
  const fieldPath = (field: string) => (source.path === "" ? field : `${source.path}.${field}`)
  const failWith = (message: string, path = source.path) => Result.fail(invalid(source.file, path, message))
  const nodeLabels = (flags["node-labels"] ?? {}) as Readonly<Record<string, string>>
  const labelErrors = release.nodeLabelsRestricted ? validateNodeLabels(nodeLabels) : undefined
  if (labelErrors !== undefined) return flagFailure(settings, "node-labels", nodeLabelErrorsText(labelErrors))

  const merged = mergeLayers(settings, release)
  if (Result.isFailure(merged)) return failWith(merged.failure, fieldPath("featureGates"))
  const configuration = applyFlags(merged.success, flags)
  const gates = gateSettings(release, configuration.featureGates ?? {})
  if (Result.isFailure(gates)) return flagFailure(settings, "feature-gates", gates.failure)
  const messages = validateKubeletConfiguration(configuration, release, gates.success, validators)
  if (messages.length > 0) return failWith(aggregateMessages(messages))
  const startError = startupError(configuration, release, gates.success)
  if (startError !== undefined) return failWith(startError)

  const nodeIP = stringOf(flags["node-ip"])
  const cloudProvider = stringOf(flags["cloud-provider"])
  const addresses = parseNodeIPs(nodeIP, cloudProvider)
  if (Result.isFailure(addresses)) {
    return flagFailure(settings, "node-ip", `bad --node-ip ${JSON.stringify(nodeIP)}: ${addresses.failure}`)
  }
  const { invalid: unparsedIPs, ips } = addresses.success
  const diskSpaceThreshold = flags["low-diskspace-threshold-mb"]
  const outOfDiskTransition = flags["outofdisk-transition-frequency"]
  const flagOnlySettings = {
    nodeLabels,
    nodeIPs: ips,
    externalCloudProvider: cloudProvider === "external",
    lowDiskSpaceThresholdMB: typeof diskSpaceThreshold === "number" ? diskSpaceThreshold : 256,
    outOfDiskTransitionFrequencyMs:
      typeof outOfDiskTransition === "string" ? parseDuration(outOfDiskTransition) : 300_000
  }
  const ignored =
    unparsedIPs.length === 0
      ? []
      : [`--node-ip: Could not parse some node IP(s), ignoring them: ${unparsedIPs.join(", ")}`]
  return Result.succeed({
    config: kubeletConfigOf(configuration, gates.success.gates, flagOnlySettings),
    configuration,
    warnings: [
      ...ignored,
      ...gates.success.ineffective.map(
        (gate) => `${source.file}: ${fieldPath("featureGates")}.${gate} is not supported and has no effect`
      )
    ]
  })
}
