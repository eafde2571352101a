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
import { wrongNodeLabels, wrongNodeLabelsText } from "./nodeLabels.ts"
import { startProblem } from "./start.ts"
import { aggregated, type ConfigValidators, validateKubeletConfiguration } from "./validate.ts"

/** All that a kubelet is told: files, and flags, which count more. */
export interface KubeletSettings extends ConfigLayers {
  readonly flags: KubeletFlagValues
  /** Where the flags stand, when that is not the command line. */
  readonly flagsAt?: Place
}

export const noKubeletSettings: KubeletSettings = { dropIns: [], flags: {} }

export interface ResolvedKubelet {
  /** The model's view. */
  readonly config: KubeletConfig
  /** The whole configuration, with defaults, files and flags. */
  readonly configuration: KubeletConfiguration
  readonly warnings: ReadonlyArray<string>
}

const COMMAND_LINE = "command line"

/** `a.b` and 1 as `{ a: { b: 1 } }`. */
const nested = (path: string, value: unknown): unknown =>
  path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value)

/** Flags replace what files say of their fields, also maps; only feature gates are added to those of files. */
const withFlags = (config: KubeletConfiguration, flags: KubeletFlagValues): KubeletConfiguration => {
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

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Which files the configuration comes from, and where in the one, if it is one, its last part stands. */
const sourceOf = ({ base, dropIns, flagsAt }: KubeletSettings): Place => {
  const layers = [...(base === undefined ? [] : [base]), ...dropIns]
  const files = [...new Set(layers.map(({ file }) => file))]
  if (files.length === 0) return flagsAt ?? { file: COMMAND_LINE, path: "" }
  return { file: files.join(", "), path: files.length === 1 ? (layers.at(-1)?.path ?? "") : "" }
}

/** What is wrong with a flag by itself. */
const flagProblem = ({ flagsAt }: KubeletSettings, name: string, message: string) =>
  Result.fail(
    flagsAt === undefined
      ? invalid(COMMAND_LINE, `--${name}`, message)
      : invalid(flagsAt.file, flagsAt.path, `--${name}: ${message}`)
  )

/**
 * What a kubelet of a release makes of its settings, with all of Kubernetes' checks that need no machine, in kubelet's order:
 * labels, the merged configuration, then what it would stop at while it starts.
 */
export const resolveKubelet = (
  settings: KubeletSettings,
  release: Release,
  validators: ConfigValidators = {}
): Result.Result<ResolvedKubelet, InvalidInput> => {
  const { flags } = settings
  const source = sourceOf(settings)
  const inside = (field: string) => (source.path === "" ? field : `${source.path}.${field}`)
  const fail = (message: string, path = source.path) => Result.fail(invalid(source.file, path, message))
  const nodeLabels = (flags["node-labels"] ?? {}) as Readonly<Record<string, string>>
  const wrongLabels = release.nodeLabelsRestricted ? wrongNodeLabels(nodeLabels) : undefined
  if (wrongLabels !== undefined) return flagProblem(settings, "node-labels", wrongNodeLabelsText(wrongLabels))

  const merged = mergeLayers(settings, release)
  if (Result.isFailure(merged)) return fail(merged.failure, inside("featureGates"))
  const configuration = withFlags(merged.success, flags)
  const gates = gateSettings(release, configuration.featureGates ?? {})
  if (Result.isFailure(gates)) return flagProblem(settings, "feature-gates", gates.failure)
  const messages = validateKubeletConfiguration(configuration, release, gates.success, validators)
  if (messages.length > 0) return fail(aggregated(messages))
  const stopped = startProblem(configuration, release, gates.success)
  if (stopped !== undefined) return fail(stopped)

  const nodeIP = text(flags["node-ip"])
  const cloudProvider = text(flags["cloud-provider"])
  const addresses = parseNodeIPs(nodeIP, cloudProvider)
  if (Result.isFailure(addresses)) {
    return flagProblem(settings, "node-ip", `bad --node-ip ${JSON.stringify(nodeIP)}: ${addresses.failure}`)
  }
  const { invalid: unread, ips } = addresses.success
  const threshold = flags["low-diskspace-threshold-mb"]
  const transition = flags["outofdisk-transition-frequency"]
  const own = {
    nodeLabels,
    nodeIPs: ips,
    externalCloudProvider: cloudProvider === "external",
    lowDiskSpaceThresholdMB: typeof threshold === "number" ? threshold : 256,
    outOfDiskTransitionFrequencyMs: typeof transition === "string" ? parseDuration(transition) : 300_000
  }
  const ignored =
    unread.length === 0 ? [] : [`--node-ip: Could not parse some node IP(s), ignoring them: ${unread.join(", ")}`]
  return Result.succeed({
    config: kubeletConfigOf(configuration, gates.success.gates, own),
    configuration,
    warnings: [
      ...ignored,
      ...gates.success.ineffective.map(
        (gate) => `${source.file}: ${inside("featureGates")}.${gate} is not supported and has no effect`
      )
    ]
  })
}
