import type { Release } from "@rollcall/api"
import { kubeletLayers } from "@rollcall/components/kubelet"
import { withLines } from "@rollcall/input/documents"
import { noKubeletSettings, resolveKubelet } from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"

const UNKNOWN = "unknown field"

/**
 * What a kubelet of a release makes of its configuration file and the folder of its drop-ins (empty: none): all of it is checked
 * as the kubelet checks it. Fields that mean nothing to a shutdown are not spoken of, but those that nobody knows are.
 */
export const readShutdownConfig = Effect.fnUntraced(function* (file: string, folder: string, release: Release) {
  const { layers, warnings } = yield* kubeletLayers(file, folder)
  const settings = { ...noKubeletSettings, ...layers }
  const resolved = resolveKubelet(settings, release, { shutdown: validateShutdownConfig })
  const { config } = yield* Effect.fromResult(resolved)
  return { config, warnings: warnings.filter((warning) => warning.includes(UNKNOWN)) }
}, withLines)
