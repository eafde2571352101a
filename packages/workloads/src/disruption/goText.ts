import { type PodDisruptionBudget, sortedEntries } from "@rollcall/api"

type Selector = NonNullable<PodDisruptionBudget["spec"]>["selector"]

/** A label selector as Go prints it. Upstream: metav1.LabelSelector String. */
export const goSelector = (selector: Selector): string => {
  if (selector === undefined) return "nil"
  const labels = sortedEntries(selector.matchLabels)
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
  )
  const matchLabels = `map[string]string{${labels.map(([name, value]) => `${name}: ${value},`).join("")}}`
  const matchExpressions = `[]LabelSelectorRequirement{${expressions.join("")}}`
  return `&LabelSelector{MatchLabels:${matchLabels},MatchExpressions:${matchExpressions},}`
}
