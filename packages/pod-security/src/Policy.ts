import {
  compareLevels,
  formatLevelVersion,
  type Level,
  type LevelVersion,
  levels,
  parseLevel,
  parseVersion,
  type Version
} from "./Level.ts"

/** What is done about a violation: refuse the pod, note it in the audit, warn the client. */
export const modes = ["enforce", "audit", "warn"] as const

export type Mode = (typeof modes)[number]

/** The levels of a namespace. */
export type Policy = Readonly<Record<Mode, LevelVersion>>

/** The labels of namespaces, and the annotations of audits, begin with this. */
export const labelPrefix = "pod-security.kubernetes.io/"

/** The policy of a namespace without labels, if no configuration says otherwise. */
export const privilegedPolicy: Policy = {
  enforce: { level: "privileged", version: "latest" },
  audit: { level: "privileged", version: "latest" },
  warn: { level: "privileged", version: "latest" }
}

/** A label whose value is no level or version. */
export interface LabelError {
  readonly label: string
  readonly value: string
  /** What it must be. */
  readonly message: string
}

export interface PolicyOfLabels {
  readonly policy: Policy
  readonly errors: ReadonlyArray<LabelError>
}

export const levelMessage = `must be one of ${levels.join(", ")}`
export const versionMessage = 'must be "latest" or "v1.x"'

/** Where a label has an error, enforcement is strict, and the other modes do nothing. */
const levelOnError: Readonly<Record<Mode, Level>> = { enforce: "restricted", audit: "privileged", warn: "privileged" }

/**
 * Returns the policy by the labels of a namespace, and by the defaults where it has none. Clients are warned of what is
 * enforced, unless a label says otherwise. Upstream: k8s.io/pod-security-admission/api/helpers.go, PolicyToEvaluate.
 */
export const policyOf = (
  labels: Readonly<Record<string, string>> | undefined,
  defaults: Policy = privilegedPolicy
): PolicyOfLabels => {
  const errors: Array<LabelError> = []
  const read = <A>(
    label: string,
    parse: (text: string) => A | undefined,
    message: string,
    onError: A
  ): A | undefined => {
    const value = labels?.[label]
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed === undefined) errors.push({ label, value, message })
    return parsed ?? onError
  }
  const readMode = (mode: Mode): LevelVersion => ({
    level: read(`${labelPrefix}${mode}`, parseLevel, levelMessage, levelOnError[mode]) ?? defaults[mode].level,
    version:
      read<Version>(`${labelPrefix}${mode}-version`, parseVersion, versionMessage, "latest") ?? defaults[mode].version
  })
  const enforce = readMode("enforce")
  const policy = { enforce, audit: readMode("audit"), warn: readMode("warn") }
  const isSet = (label: string) => labels?.[`${labelPrefix}${label}`] !== undefined
  const isEnforced = parseLevel(labels?.[`${labelPrefix}enforce`] ?? "") !== undefined
  if (isSet("warn") || !isEnforced || compareLevels(enforce.level, policy.warn.level) <= 0) return { policy, errors }
  const version = isSet("warn-version") ? policy.warn.version : enforce.version
  return { policy: { ...policy, warn: { level: enforce.level, version } }, errors }
}

/** Whether the policy forbids nothing. */
export const isPrivileged = (policy: Policy): boolean => modes.every((mode) => policy[mode].level === "privileged")

/** Whether two levels are the same, or both forbid nothing. */
const isEquivalent = (left: LevelVersion, right: LevelVersion): boolean =>
  (left.level === "privileged" && right.level === "privileged") ||
  formatLevelVersion(left) === formatLevelVersion(right)

/** Whether two policies forbid the same. */
export const isSamePolicy = (left: Policy, right: Policy): boolean =>
  modes.every((mode) => isEquivalent(left[mode], right[mode]))
