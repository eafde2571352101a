import type { Job } from "@rollcall/api"
import { parseIndexes } from "./indexes.ts"

interface Rule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

const rulesOf = ({ spec }: Job): ReadonlyArray<Rule> =>
  (spec.successPolicy as { readonly rules?: ReadonlyArray<Rule> } | undefined)?.rules ?? []

/**
 * Why the indexes that have succeeded are enough by the job's own rules; undefined when they are not. The first rule that is met
 * counts: of the indexes that it names all, or as many as it says; without any it says how many of all.
 * Upstream: pkg/controller/job/success_policy.go matchSuccessPolicy.
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
