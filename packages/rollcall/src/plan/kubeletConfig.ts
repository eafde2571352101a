import type { Release } from "@rollcall/api"
import { kubeletLayers } from "@rollcall/components/kubelet"
import { type ConfigLayers, decodeKubeletConfiguration, noKubeletSettings, resolveKubelet } from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown/rules"
import * as Effect from "effect/Effect"
import { type Given, isText, objectDocuments } from "./documents.ts"

/** The words in every warning about an unknown field. */
const UNKNOWN_FIELD = "unknown field"

/** What a value may leave out. */
const KIND = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }

const layersOf = Effect.fnUntraced(function* (given: Given, folder: string) {
  if (typeof given === "string" && !isText(given)) return yield* kubeletLayers(given, folder)
  const [document] = typeof given === "string" ? yield* objectDocuments(given, "config") : []
  const value = typeof given === "string" ? document?.value : { ...KIND, ...given }
  const { layer, warnings } = yield* Effect.fromResult(decodeKubeletConfiguration("config", value))
  const { layers: dropIns } = yield* kubeletLayers("", folder)
  const layers: ConfigLayers = { ...dropIns, base: layer }
  return { layers, warnings }
})

/** Reads a KubeletConfiguration and its folder of drop-ins ("" if there is none), with all checks of the kubelet. */
export const readKubeletConfig = Effect.fnUntraced(function* (given: Given, folder: string, release: Release) {
  const { layers, warnings } = yield* layersOf(given, folder)
  const resolved = resolveKubelet({ ...noKubeletSettings, ...layers }, release, { shutdown: validateShutdownConfig })
  const { config } = yield* Effect.fromResult(resolved)
  // Other warnings are about fields that a plan does not depend on.
  return { config, warnings: warnings.filter((warning) => warning.includes(UNKNOWN_FIELD)) }
})
