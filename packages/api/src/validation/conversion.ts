import type { DaemonSet, Deployment } from "../objects/Apps.ts"
import { parseInt64 } from "../parseInt64.ts"
import { annotationRollbackTo, annotationTemplateGeneration } from "../wellKnown.ts"
import { goQuote } from "./goFormat.ts"

/** Returns the error of Go's parser for a text that is no 64-bit integer. */
const parseFault = (text: string): string | undefined => {
  if (parseInt64(text) !== undefined) return undefined
  const why = /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax"
  return `strconv.ParseInt: parsing ${goQuote(text)}: ${why}`
}

/** Upstream: pkg/apis/apps/v1/conversion.go, Convert_v1_DaemonSet_To_apps_DaemonSet. */
export const daemonSetConversionFault = ({ metadata }: DaemonSet): string | undefined => {
  const generation = metadata.annotations?.[annotationTemplateGeneration]
  return generation === undefined ? undefined : parseFault(generation)
}

/** Upstream: Convert_v1_Deployment_To_apps_Deployment. */
export const deploymentConversionFault = ({ metadata }: Deployment): string | undefined => {
  const revision = metadata.annotations?.[annotationRollbackTo] ?? ""
  const fault = revision === "" ? undefined : parseFault(revision)
  return fault && `failed to parse annotation[${annotationRollbackTo}]=${revision} as int64: ${fault}`
}
