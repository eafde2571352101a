import type { ContainerStatus, Job, Pod } from "@rollcall/api"

/** What a rule of podFailurePolicy does with a failed pod; `Count` is also the default. */
export type FailureAction = "Count" | "Ignore" | "FailIndex" | "FailJob"

/** The result of podFailurePolicy for a failed pod. */
export interface FailureVerdict {
  readonly action: FailureAction
  /** Whether a rule matched. */
  readonly byRule: boolean
  /** The message if the job fails. */
  readonly message: string
}

interface ExitCodes {
  readonly containerName?: string
  readonly operator: "In" | "NotIn"
  readonly values: ReadonlyArray<number>
}
interface Rule {
  readonly action: FailureAction
  readonly onExitCodes?: ExitCodes
  readonly onPodConditions?: ReadonlyArray<{ readonly type: string; readonly status?: string }>
}

const rulesOf = ({ spec }: Job): ReadonlyArray<Rule> =>
  (spec.podFailurePolicy as { readonly rules?: ReadonlyArray<Rule> } | undefined)?.rules ?? []

/** The first container that failed with an exit code that the rule matches. */
const matchingContainer = (
  { containerName, operator, values }: ExitCodes,
  { status }: Pod
): ContainerStatus | undefined =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false
    return values.includes(code) === (operator === "In")
  })

const unmatched: FailureVerdict = { action: "Count", byRule: false, message: "" }

/**
 * Applies the job's podFailurePolicy to a failed pod: the first matching rule decides. If none matches, the failure
 * counts. Upstream: pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy.
 */
export const applyFailurePolicy = (job: Job, pod: Pod): FailureVerdict => {
  const { name, namespace } = pod.metadata
  for (const [index, { action, onExitCodes, onPodConditions = [] }] of rulesOf(job).entries()) {
    if (onExitCodes !== undefined) {
      const found = matchingContainer(onExitCodes, pod)
      if (found === undefined) continue
      const code = found.state?.terminated?.exitCode
      const text = `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${code}`
      return { action, byRule: true, message: `${text} matching ${action} rule at index ${index}` }
    }
    const condition = onPodConditions.find(({ status = "True", type }) =>
      pod.status?.conditions?.some((other) => other.type === type && other.status === status)
    )
    if (condition === undefined) continue
    const text = `Pod ${namespace}/${name} has condition ${condition.type}`
    return { action, byRule: true, message: `${text} matching ${action} rule at index ${index}` }
  }
  return unmatched
}
