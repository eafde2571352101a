import type { Release } from "@rollcall/api"
import { applyMergePatch } from "@rollcall/api/patch"
import * as Result from "effect/Result"
import type { ConfigLayer } from "./decode.ts"
import { withDefaults, withDefaultThresholds } from "./defaults.ts"
import type { KubeletConfiguration } from "./fields.ts"
import { gateSettings } from "./gates.ts"

/** What files say, in their order. */
export interface ConfigLayers {
  /** `--config`. */
  readonly base?: ConfigLayer
  /** The files of `--config-dir`. */
  readonly dropIns: ReadonlyArray<ConfigLayer>
}

/** A JSON merge patch: objects merge, null takes away, all else (lists too) replaces. */
const patched = (config: KubeletConfiguration, { fields }: ConfigLayer): KubeletConfiguration =>
  Result.getOrElse(applyMergePatch(config, fields), () => config) as KubeletConfiguration

/**
 * The configuration that files come to. The defaults are filled in before the drop-ins are merged (so a drop-in's evictionHard
 * adds to the thresholds that the file before it has, the default ones too, and its update frequency leaves the report
 * frequency alone) and once more at the end, for what a drop-in took away. Gates that a release does not know fail with
 * upstream's message. Upstream: cmd/kubelet/app/server.go, loadConfigFile and mergeKubeletConfigurations; KEP-3983.
 */
export const mergeLayers = (
  { base, dropIns }: ConfigLayers,
  release: Release
): Result.Result<KubeletConfiguration, string> => {
  const defaulted = (config: KubeletConfiguration) =>
    Result.map(gateSettings(release, config.featureGates ?? {}), (gates) => withDefaults(config, release, gates))
  const begun = Result.map(defaulted(base === undefined ? {} : patched({}, base)), (config) =>
    base === undefined ? config : withDefaultThresholds(config, release)
  )
  const merged =
    dropIns.length === 0 ? begun : Result.flatMap(begun, (config) => defaulted(dropIns.reduce(patched, config)))
  // Thresholds that a drop-in took away from a file stay away.
  return Result.map(merged, (config) =>
    base === undefined ? withDefaultThresholds(config, release) : { evictionHard: {}, ...config }
  )
}
