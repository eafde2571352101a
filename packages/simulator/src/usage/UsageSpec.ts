import { parseDuration } from "@rollcall/api"
import { Duration, type Problem, problemAt, Quantity, TextMap } from "@rollcall/input"
import * as Schema from "effect/Schema"

/** An amount from the start, or amounts from times on, in the order of the times. */
const Amounts = Schema.Union([Quantity, Schema.Array(Schema.Struct({ at: Duration, amount: Quantity }))])

const amounts = Schema.optionalKey(Amounts)

/** What pods use over time, as written. docs/reference/scenario.md describes the fields. */
export const UsageSpec = Schema.Struct({
  pods: Schema.Struct({ namespace: Schema.optionalKey(Schema.String), labels: TextMap }),
  container: Schema.optionalKey(Schema.String),
  shared: Schema.optionalKey(Schema.Boolean),
  cpu: amounts,
  memory: amounts,
  swap: amounts,
  disk: amounts,
  logs: amounts
})
export interface UsageSpec extends Schema.Schema.Type<typeof UsageSpec> {}

/** What a container can use, as its behaviour names it. */
export const usedResources = ["cpu", "memory", "swap", "disk", "logs"] as const
export type UsedResource = (typeof usedResources)[number]

/** An amount that pods use from a time on, in virtual milliseconds. */
interface UsageStep {
  readonly atMs: number
  readonly amount: string
}

/** What a group of pods uses over time. */
export interface PlannedUsage {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  /** The container that uses it; every container of the pods if absent. */
  readonly container: string | undefined
  /** Whether the amounts are those of all ready pods together, which share them. */
  readonly isShared: boolean
  readonly steps: Readonly<Partial<Record<UsedResource, ReadonlyArray<UsageStep>>>>
}

const stepsOf = (given: NonNullable<UsageSpec[UsedResource]>): ReadonlyArray<UsageStep> =>
  typeof given === "object"
    ? given.map(({ amount, at }) => ({ atMs: parseDuration(at), amount: String(amount) }))
    : [{ atMs: 0, amount: String(given) }]

/** Plans what pods use over time, and finds the mistakes that the schema does not. */
export const planUsage = (
  file: string,
  specs: ReadonlyArray<UsageSpec> = []
): { readonly usage: ReadonlyArray<PlannedUsage>; readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const usage = specs.map((spec, index): PlannedUsage => {
    const path = `spec.usage[${index}]`
    const { container, pods, shared = false } = spec
    const steps: Partial<Record<UsedResource, ReadonlyArray<UsageStep>>> = {}
    for (const resource of usedResources) {
      const given = spec[resource]
      if (given === undefined) continue
      const planned = stepsOf(given)
      const late = planned.findIndex(({ atMs }, at) => at > 0 && atMs <= (planned[at - 1]?.atMs ?? 0))
      if (late > 0) problems.push(problemAt(file, `${path}.${resource}[${late}].at`, "is not after the amount before"))
      steps[resource] = planned
    }
    if (Object.keys(pods.labels).length === 0) {
      problems.push(problemAt(file, `${path}.pods.labels`, "is empty, expected the labels of the pods"))
    }
    if (Object.keys(steps).length === 0) {
      problems.push(problemAt(file, path, `has no amounts, expected one of ${usedResources.join(", ")}`))
    }
    return { namespace: pods.namespace ?? "default", labels: pods.labels, container, isShared: shared, steps }
  })
  return { usage, problems }
}
