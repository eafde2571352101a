import type { ErrorList } from "@rollcall/api/validation"
import { MOST } from "../cel/estimateSizes.ts"

/** What the rules of a definition may cost at most. Upstream: apiextensions/validation/validation.go. */
const RULE_LIMIT = 10_000_000
const SCHEMA_LIMIT = 100_000_000
/** Those that are named where all rules together cost too much, and from what cost on. */
const MOST_NAMED = 4
const LEAST_NAMED = SCHEMA_LIMIT / 100

const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

const overBudget = (what: string, cost: number, limit: number): string => {
  const factor = cost / limit
  const shown = factor > 100 ? "more than 100" : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)
  return `${what} exceeds budget by factor of ${shown}x ${advice}`
}

/** The costs of all rules of one schema, as they are estimated when it is written. */
export class RuleCosts {
  private total = 0
  private readonly expensive: Array<{ readonly at: string; readonly cost: number }> = []

  /** Counts one expression, and refuses it where it costs too much by itself. */
  observe(errors: ErrorList, at: string, cost: number, what: string): void {
    if (cost > RULE_LIMIT) errors.forbidden(at, overBudget(what, cost, RULE_LIMIT))
    this.total = Math.min(this.total + cost, MOST)
    if (cost < LEAST_NAMED) return
    this.expensive.push({ at, cost })
    this.expensive.sort((left, right) => right.cost - left.cost)
    this.expensive.length = Math.min(this.expensive.length, MOST_NAMED)
  }

  /** Refuses the schema where all of them together cost too much. */
  close(errors: ErrorList, at: string): void {
    if (this.total <= SCHEMA_LIMIT) return
    for (const each of this.expensive) {
      errors.forbidden(
        each.at,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
      )
    }
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
    errors.forbidden(at, overBudget(what, this.total, SCHEMA_LIMIT))
  }
}
