import { labelArch, labelBetaArch, labelBetaOS, labelOS } from "@rollcall/api"

const stableAndBetaLabels: ReadonlyArray<readonly [stable: string, beta: string]> = [
  [labelOS, labelBetaOS],
  [labelArch, labelBetaArch]
]

/**
 * Beta labels to set to the values of the corresponding stable labels; undefined if they are equal.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go reconcileNodeLabels.
 */
export const labelsToSet = (
  labels: Readonly<Record<string, string>> | undefined
): Readonly<Record<string, string>> | undefined => {
  if (labels === undefined) return undefined
  let result: Record<string, string> | undefined
  for (const [stable, beta] of stableAndBetaLabels) {
    const value = labels[stable]
    if (value === undefined || labels[beta] === value) continue
    result ??= {}
    result[beta] = value
  }
  return result
}
