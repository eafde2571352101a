import { sortedEntries } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import * as Result from "effect/Result"

/** Keys under kubernetes.io that a kubelet may set on its own Node. Upstream: staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go. */
export const kubeletLabels: ReadonlyArray<string> = [
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone"
]

/** Key prefixes (and their subdomains) with which a kubelet may set any label. */
export const kubeletLabelNamespaces: ReadonlyArray<string> = ["kubelet.kubernetes.io", "node.kubernetes.io"]

const namespaceOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf("/")))

const isWithin = (namespace: string, outer: string): boolean => namespace === outer || namespace.endsWith(`.${outer}`)

const isKubernetesLabel = (key: string): boolean =>
  ["kubernetes.io", "k8s.io"].some((outer) => isWithin(namespaceOf(key), outer))

const isKubeletLabel = (key: string): boolean =>
  kubeletLabels.includes(key) || kubeletLabelNamespaces.some((outer) => isWithin(namespaceOf(key), outer))

/** The errors in `--node-labels`. */
export interface NodeLabelErrors {
  /** Keys of kubernetes.io or k8s.io that a kubelet may not set, sorted. */
  readonly unknown: ReadonlyArray<string>
  /**
   * Keys and values with invalid syntax, sorted, each with its errors. Empty if there are unknown keys, because
   * upstream stops there.
   */
  readonly invalid: ReadonlyArray<readonly [text: string, faults: ReadonlyArray<string>]>
}

/**
 * Validates `--node-labels`. Returns undefined if the labels are valid. Upstream: cmd/kubelet/app/options,
 * ValidateKubeletFlags.
 */
export const validateNodeLabels = (labels: Readonly<Record<string, string>>): NodeLabelErrors | undefined => {
  const unknown = Object.keys(labels).filter((key) => isKubernetesLabel(key) && !isKubeletLabel(key))
  if (unknown.length > 0) return { unknown: unknown.sort(), invalid: [] }
  const faults = new Map<string, ReadonlyArray<string>>()
  const add = (text: string, found: ReadonlyArray<string>) => {
    if (found.length > 0) faults.set(text, [...(faults.get(text) ?? []), ...found])
  }
  for (const [key, value] of Object.entries(labels)) {
    add(key, isQualifiedName(key))
    add(value, isValidLabelValue(value))
  }
  if (faults.size === 0) return undefined
  return { unknown: [], invalid: sortedEntries(faults) }
}

/** Returns upstream's message about the errors. */
export const nodeLabelErrorsText = ({ invalid, unknown }: NodeLabelErrors): string =>
  unknown.length > 0
    ? `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(" ")}]\n` +
      `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${kubeletLabelNamespaces.join(", ")}) ` +
      `or be in the specifically allowed set (${kubeletLabels.join(", ")})`
    : `invalid node labels: ${invalid.map(([text, faults]) => `'${text}' - ${faults.join(", ")}`).join("; ")}`

/**
 * Parses `--node-labels`: pairs separated by commas, each split at its first `=` and trimmed. A key without `=` has an
 * empty value.
 */
export const parseNodeLabels = (
  text: string,
  previous: Readonly<Record<string, string>>
): Result.Result<Readonly<Record<string, string>>, string> => {
  const pairs = text.split(",").map((part): readonly [string, string] => {
    const at = part.indexOf("=")
    return at < 0 ? [part.trim(), ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
  })
  return Result.succeed({ ...previous, ...Object.fromEntries(pairs) })
}
