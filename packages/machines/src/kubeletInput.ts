import type { Release } from "@rollcall/api"
import type { InvalidInput } from "@rollcall/input"
import {
  type ConfigLayer,
  type ConfigValidators,
  decodeKubeletConfiguration,
  type KubeletFlagValues,
  type KubeletSettings,
  type ResolvedKubelet,
  readKubeletFlags,
  resolveKubelet
} from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown/rules"
import * as Result from "effect/Result"

/** Validates the KubeletConfiguration fields that belong to other packages than the kubelet's. */
const validators: ConfigValidators = { shutdown: validateShutdownConfig }

/**
 * Reads KubeletConfiguration fields inside another file, without apiVersion and kind, at the path `embeddedAt`. It is
 * as strict as the kubelet, and stricter about names of fields. Warnings are added to `warnings`.
 */
export const readKubeletFields = (
  file: string,
  embeddedAt: string,
  value: unknown,
  warnings: Array<string>
): Result.Result<ConfigLayer, InvalidInput> =>
  Result.map(decodeKubeletConfiguration(file, value, { embeddedAt }), ({ layer, warnings: layerWarnings }) => {
    warnings.push(...layerWarnings)
    return layer
  })

/** Resolves kubelet settings to a configuration. Fails if a kubelet of the release refuses them. */
export const resolveKubeletInput = (
  settings: KubeletSettings,
  release: Release
): Result.Result<ResolvedKubelet, InvalidInput> => resolveKubelet(settings, release, validators)

/** Adds a layer to settings. The first one counts as `--config`, each further one as a drop-in over it. */
export const withKubeletLayer = (settings: KubeletSettings, layer: ConfigLayer | undefined): KubeletSettings => {
  if (layer === undefined) return settings
  return settings.base === undefined && settings.dropIns.length === 0
    ? { ...settings, base: layer }
    : { ...settings, dropIns: [...settings.dropIns, layer] }
}

/** Reads `spec.config.kubelet` and `spec.flags.kubelet` of a scenario. `defaults` are the values of flags that are not given. */
export const readKubeletSettings = (
  file: string,
  fields: unknown,
  flags: ReadonlyArray<string>,
  release: Release,
  warnings: Array<string>,
  defaults: KubeletFlagValues = {}
): Result.Result<KubeletSettings, InvalidInput> =>
  Result.gen(function* () {
    const layer =
      fields === undefined ? undefined : yield* readKubeletFields(file, "spec.config.kubelet", fields, warnings)
    const flagsAt = { file, path: "spec.flags.kubelet" }
    const read = yield* readKubeletFlags(flagsAt, flags, release)
    warnings.push(...read.warnings)
    return withKubeletLayer({ dropIns: [], flags: { ...defaults, ...read.values }, flagsAt }, layer)
  })
