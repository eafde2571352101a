import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/policy/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const policy: Table = {
  package: "io.k8s.api.policy.v1",
  group: "policy",
  messages: `
Eviction kind # Evicts a pod if its PodDisruptionBudgets allow it.
  metadata 1 meta.ObjectMeta byValue
  deleteOptions 2 meta.DeleteOptions
PodDisruptionBudget kind hasList # Limits how many pods of a set may be disrupted voluntarily at the same time.
  metadata 1 meta.ObjectMeta byValue
  spec 2 PodDisruptionBudgetSpec byValue
  status 3 PodDisruptionBudgetStatus byValue
PodDisruptionBudgetSpec # The pods that the budget protects, and how many of them must stay available.
  minAvailable 1 IntOrString pointer # The least pods that must stay available, as a number or a percentage.
  selector 2 meta.LabelSelector patchStrategy=replace # Selects the pods that the budget protects. An empty selector selects all pods of the namespace.
  maxUnavailable 3 IntOrString pointer # The most pods that may be unavailable, as a number or a percentage.
  unhealthyPodEvictionPolicy 4 string pointer enum=AlwaysAllow|IfHealthyBudget # The policy for the eviction of pods that are not healthy.
PodDisruptionBudgetStatus # The number of pods, and how many of them may be disrupted.
  observedGeneration 1 int64 # The generation that the status was computed for.
  disruptedPods 2 map[string]Time # The pods whose eviction was just accepted, and which may still be counted as healthy.
  disruptionsAllowed 3 int32 noOmitEmpty # The number of disruptions that are allowed now.
  currentHealthy 4 int32 noOmitEmpty # The number of healthy pods.
  desiredHealthy 5 int32 noOmitEmpty # The least number of healthy pods.
  expectedPods 6 int32 noOmitEmpty # The number of pods that the budget counts.
  conditions 7 []meta.Condition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
`
}
