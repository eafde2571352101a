import type { Job } from "@rollcall/api"
import { parseIndexes } from "./indexes.ts"

interface Rule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

const rulesOf = ({ spec }: Job): ReadonlyArray<Rule> =>
  (spec.successPolicy as { readonly rules?: ReadonlyArray<Rule> } | undefined)?.rules ?? []

/**
 * The message for the first rule of successPolicy that the succeeded indexes meet; undefined if there is none. A rule
 * is met if all of its indexes have succeeded, or succeededCount of them; a rule without indexes, if succeededCount of
 * all have. Upstream: pkg/controller/job/success_policy.go matchSuccessPolicy.
 */
export const metSuccessPolicy = (job: Job, succeeded: ReadonlySet<number>): string | undefined => {
  if (succeeded.size === 0) return undefined
  const met = rulesOf(job).findIndex(({ succeededCount, succeededIndexes }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount
    const required = parseIndexes(succeededIndexes, job.spec.completions)
    if (required.size === 0) return false
    let found = 0
    for (const index of required) if (succeeded.has(index)) found++
    return found === required.size || (succeededCount !== undefined && found >= succeededCount)
  })
  return met < 0 ? undefined : `Matched rules at index ${met}`
}
