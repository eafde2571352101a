import type { Release } from "@rollcall/api"
import { InvalidInput } from "@rollcall/input"
import {
  type Checked,
  type ConfigLayer,
  type ConfigValidators,
  decodeKubeletConfiguration,
  type KubeletSettings,
  type ResolvedKubelet,
  readKubeletFlags,
  resolveKubelet
} from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown"
import * as Result from "effect/Result"

/** Rules for fields of KubeletConfiguration that other packages than the kubelet's have. */
const validators: ConfigValidators = { shutdown: validateShutdownConfig }

const asInput = <A>(checked: Checked<A>): Result.Result<A, InvalidInput> =>
  Result.mapError(checked, (problems) => new InvalidInput({ problems }))

/** Fields of KubeletConfiguration where another file holds them, without apiVersion and kind; as strict as kubelet, and stricter with names. */
export const readKubeletFields = (
  file: string,
  embeddedAt: string,
  value: unknown,
  warnings: Array<string>
): Result.Result<ConfigLayer, InvalidInput> =>
  Result.map(asInput(decodeKubeletConfiguration(file, value, { embeddedAt })), ({ layer, warnings: found }) => {
    warnings.push(...found)
    return layer
  })

/** What a kubelet makes of its settings; refused where Kubernetes refuses it. */
export const resolveKubeletInput = (
  settings: KubeletSettings,
  release: Release
): Result.Result<ResolvedKubelet, InvalidInput> => asInput(resolveKubelet(settings, release, validators))

/** A layer more: the first is as `--config`, each other as a drop-in over it. */
export const withKubeletLayer = (settings: KubeletSettings, layer: ConfigLayer | undefined): KubeletSettings => {
  if (layer === undefined) return settings
  return settings.base === undefined && settings.dropIns.length === 0
    ? { ...settings, base: layer }
    : { ...settings, dropIns: [...settings.dropIns, layer] }
}

/** `spec.config.kubelet` and `spec.flags.kubelet` of a scenario. */
export const readKubeletSettings = (
  file: string,
  fields: unknown,
  flags: ReadonlyArray<string>,
  release: Release,
  warnings: Array<string>
): Result.Result<KubeletSettings, InvalidInput> =>
  Result.gen(function* () {
    const layer =
      fields === undefined ? undefined : yield* readKubeletFields(file, "spec.config.kubelet", fields, warnings)
    const flagsAt = { file, path: "spec.flags.kubelet" }
    const read = yield* asInput(readKubeletFlags(file, flagsAt.path, flags, release))
    warnings.push(...read.warnings)
    return withKubeletLayer({ dropIns: [], flags: read.values, flagsAt }, layer)
  })
