import type { Release } from "@rollcall/api"
import { kubeletLayers } from "@rollcall/components/kubelet"
import { withLines } from "@rollcall/input/documents"
import { noKubeletSettings, resolveKubelet } from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"

const UNKNOWN = "unknown field"

/**
 * Reads the configuration file of a kubelet and its folder of drop-ins (empty: none), with all checks of the kubelet. The warnings
 * name only unknown fields: that a field has no effect on a shutdown is not worth a warning.
 */
export const readShutdownConfig = Effect.fnUntraced(function* (file: string, folder: string, release: Release) {
  const { layers, warnings } = yield* kubeletLayers(file, folder)
  const settings = { ...noKubeletSettings, ...layers }
  const resolved = resolveKubelet(settings, release, { shutdown: validateShutdownConfig })
  const { config } = yield* Effect.fromResult(resolved)
  return { config, warnings: warnings.filter((warning) => warning.includes(UNKNOWN)) }
}, withLines)
