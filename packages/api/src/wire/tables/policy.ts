import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/policy/v1/{types.go,generated.proto}. */
export const policy: Table = {
  package: "io.k8s.api.policy.v1",
  group: "policy",
  text: `
Eviction kind
  metadata 1 meta.ObjectMeta &
  deleteOptions 2 meta.DeleteOptions
PodDisruptionBudget kind list
  metadata 1 meta.ObjectMeta &
  spec 2 PodDisruptionBudgetSpec &
  status 3 PodDisruptionBudgetStatus &
PodDisruptionBudgetSpec
  minAvailable 1 IntOrString *
  selector 2 meta.LabelSelector replace
  maxUnavailable 3 IntOrString *
  unhealthyPodEvictionPolicy 4 string * enum(AlwaysAllow|IfHealthyBudget)
PodDisruptionBudgetStatus
  observedGeneration 1 int64
  disruptedPods 2 {}Time
  disruptionsAllowed 3 int32
  currentHealthy 4 int32
  desiredHealthy 5 int32
  expectedPods 6 int32
  conditions 7 []meta.Condition by(type) merge(type)
`
}
