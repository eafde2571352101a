/**
 * Which labels of its Node a kubelet may set and change. Upstream: plugin/pkg/admission/noderestriction/admission.go,
 * staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go; KEP-279.
 */

const allowed: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region"
])

const within = (namespace: string, ...domains: ReadonlyArray<string>): boolean =>
  domains.some((domain) => namespace === domain || namespace.endsWith(`.${domain}`))

const isForbidden = (key: string): boolean => {
  const slash = key.indexOf("/")
  const namespace = slash < 0 ? "" : key.slice(0, slash)
  if (within(namespace, "node-restriction.kubernetes.io")) return true
  if (!within(namespace, "kubernetes.io", "k8s.io")) return false
  return !allowed.has(key) && !within(namespace, "kubelet.kubernetes.io", "node.kubernetes.io")
}

type Labels = Readonly<Record<string, string>> | undefined

/** The keys that differ and may not, sorted: those added, changed and removed. */
export const forbiddenLabelChanges = (labels: Labels, before: Labels): ReadonlyArray<string> => {
  const keys = new Set([...Object.keys(labels ?? {}), ...Object.keys(before ?? {})])
  return [...keys].filter((key) => labels?.[key] !== before?.[key] && isForbidden(key)).sort()
}
