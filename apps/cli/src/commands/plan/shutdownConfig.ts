import type { Release } from "@rollcall/api"
import { kubeletLayers } from "@rollcall/components/kubelet"
import { withLineNumbers } from "@rollcall/input/documents"
import { noKubeletSettings, resolveKubelet } from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown/rules"
import * as Effect from "effect/Effect"

/** The words in every warning about an unknown field. */
const UNKNOWN_FIELD = "unknown field"

/**
 * Reads the configuration file of a kubelet and its folder of drop-ins ("" if there is none), with all checks of the kubelet. Returns
 * only the warnings about unknown fields: the others are about fields that a rehearsal ignores, which plans do not depend on.
 */
export const readShutdownConfig = Effect.fnUntraced(function* (file: string, folder: string, release: Release) {
  const { layers, warnings } = yield* kubeletLayers(file, folder)
  const settings = { ...noKubeletSettings, ...layers }
  const resolved = resolveKubelet(settings, release, { shutdown: validateShutdownConfig })
  const { config } = yield* Effect.fromResult(resolved)
  return { config, warnings: warnings.filter((warning) => warning.includes(UNKNOWN_FIELD)) }
}, withLineNumbers)
