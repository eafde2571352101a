import type { ErrorList } from "@rollcall/api/validation"
import { MAX_ESTIMATE } from "@rollcall/cel"

/** The maximum cost of one rule, and of all rules of a schema. Upstream: apiextensions/validation/validation.go. */
const RULE_LIMIT = 10_000_000
const SCHEMA_LIMIT = 100_000_000
/** The number of rules listed when all together cost too much, and the minimum cost of a listed one. */
const MAX_LISTED = 4
const MIN_LISTED_COST = SCHEMA_LIMIT / 100

const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

const overBudget = (what: string, cost: number, limit: number): string => {
  const factor = cost / limit
  const shown = factor > 100 ? "more than 100" : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)
  return `${what} exceeds budget by factor of ${shown}x ${advice}`
}

/** The estimated costs of all rules of one schema. */
export class RuleCosts {
  private total = 0
  private readonly expensive: Array<{ readonly at: string; readonly cost: number }> = []

  /** Adds an expression's cost, and reports an error if it alone exceeds the limit. */
  add(errors: ErrorList, at: string, cost: number, what: string): void {
    if (cost > RULE_LIMIT) errors.forbidden(at, overBudget(what, cost, RULE_LIMIT))
    this.total = Math.min(this.total + cost, MAX_ESTIMATE)
    if (cost < MIN_LISTED_COST) return
    this.expensive.push({ at, cost })
    this.expensive.sort((left, right) => right.cost - left.cost)
    this.expensive.length = Math.min(this.expensive.length, MAX_LISTED)
  }

  /** Reports an error if all rules together exceed the limit. */
  checkTotal(errors: ErrorList, at: string): void {
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
