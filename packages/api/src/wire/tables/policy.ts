import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/policy/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const policy: Table = {
  package: "io.k8s.api.policy.v1",
  group: "policy",
  text: `
Eviction kind # Asks a pod to go, if its disruption budgets allow.
  metadata 1 meta.ObjectMeta &
  deleteOptions 2 meta.DeleteOptions
PodDisruptionBudget kind list # How many of some pods may be taken away on purpose at the same time.
  metadata 1 meta.ObjectMeta &
  spec 2 PodDisruptionBudgetSpec &
  status 3 PodDisruptionBudgetStatus &
PodDisruptionBudgetSpec # Which pods, and how many of them must stay.
  minAvailable 1 IntOrString * # How many must stay, as a number or a percentage.
  selector 2 meta.LabelSelector replace # The pods that it is about. An empty selector means all of the namespace.
  maxUnavailable 3 IntOrString * # How many may be missing, as a number or a percentage.
  unhealthyPodEvictionPolicy 4 string * enum(AlwaysAllow|IfHealthyBudget) # When pods may be evicted that are not healthy anyway.
PodDisruptionBudgetStatus # How many pods there are, and how many may go.
  observedGeneration 1 int64 # The generation that this status was made for.
  disruptedPods 2 {}Time # Pods that were evicted a moment ago, and may still be counted.
  disruptionsAllowed 3 int32 ! # How many pods may go now.
  currentHealthy 4 int32 ! # How many pods are healthy.
  desiredHealthy 5 int32 ! # How many must be.
  expectedPods 6 int32 ! # How many pods count.
  conditions 7 []meta.Condition by(type) merge(type)
`
}
