import {
  labelBetaInstanceType,
  labelBetaRegion,
  labelBetaZone,
  labelInstanceType,
  labelRegion,
  labelZone
} from "@rollcall/api"

type Labels = Readonly<Record<string, string>>

/** Labels of a cloud's metadata, with their beta and their stable names. */
export const topologyLabelNames: Readonly<
  Record<"instanceType" | "zone" | "region", readonly [beta: string, stable: string]>
> = {
  instanceType: [labelBetaInstanceType, labelInstanceType],
  zone: [labelBetaZone, labelZone],
  region: [labelBetaRegion, labelRegion]
}

/**
 * Stable labels to set to the values of the corresponding beta labels; undefined if they are equal. A node without
 * the beta label keeps its stable one. Upstream: cloud-provider/controllers/node/node_controller.go
 * reconcileNodeLabels.
 */
export const topologyLabelsToSet = (labels: Labels = {}): Labels | undefined => {
  let result: Record<string, string> | undefined
  for (const [beta, stable] of [topologyLabelNames.zone, topologyLabelNames.region, topologyLabelNames.instanceType]) {
    const value = labels[beta]
    if (value === undefined || labels[stable] === value) continue
    result ??= {}
    result[stable] = value
  }
  return result
}
