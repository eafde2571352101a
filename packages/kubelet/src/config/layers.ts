import type { Release } from "@rollcall/api"
import { applyMergePatch } from "@rollcall/api/patch"
import * as Result from "effect/Result"
import type { ConfigLayer } from "./decode.ts"
import { withDefaults, withDefaultThresholds } from "./defaults.ts"
import type { KubeletConfiguration } from "./fields.ts"
import { gateSettings } from "./gates.ts"

/** The contents of the configuration files, in the order in which they are merged. */
export interface ConfigLayers {
  /** The file of `--config`. */
  readonly base?: ConfigLayer
  /** The files of `--config-dir`. */
  readonly dropIns: ReadonlyArray<ConfigLayer>
}

/**
 * Applies a file as a JSON merge patch: objects are merged, null removes a field, and any other value (lists too)
 * replaces the previous one. A file whose patch is invalid changes nothing.
 */
const applyLayer = (config: KubeletConfiguration, { fields }: ConfigLayer): KubeletConfiguration =>
  Result.getOrElse(applyMergePatch(config, fields), () => config) as KubeletConfiguration

/**
 * Merges the files into one configuration. The defaults are added before the drop-ins are merged, so a drop-in's
 * evictionHard is added to the thresholds of the previous file, including default ones, and its
 * nodeStatusUpdateFrequency does not change nodeStatusReportFrequency. The defaults are added again at the end, for
 * fields that a drop-in removed. Fails with upstream's message if the release does not have a feature gate. Upstream:
 * cmd/kubelet/app/server.go, loadConfigFile and mergeKubeletConfigurations; KEP-3983.
 */
export const mergeLayers = (
  { base, dropIns }: ConfigLayers,
  release: Release
): Result.Result<KubeletConfiguration, string> => {
  const addDefaults = (config: KubeletConfiguration) =>
    Result.map(gateSettings(release, config.featureGates ?? {}), (gates) => withDefaults(config, release, gates))
  const beforeDropIns = Result.map(addDefaults(base === undefined ? {} : applyLayer({}, base)), (config) =>
    base === undefined ? config : withDefaultThresholds(config, release)
  )
  const merged =
    dropIns.length === 0
      ? beforeDropIns
      : Result.flatMap(beforeDropIns, (config) => addDefaults(dropIns.reduce(applyLayer, config)))
  // With a `--config` file, the default thresholds were added above: if a drop-in removed them, they are not added
  // again.
  return Result.map(merged, (config) =>
    base === undefined ? withDefaultThresholds(config, release) : { evictionHard: {}, ...config }
  )
}
