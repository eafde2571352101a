import { getControllerOf, type Pod } from "@rollcall/api"
import {
  compareLevels,
  formatLevelVersion,
  formatReasons,
  isPrivileged,
  isSamePolicy,
  type LevelVersion,
  labelPrefix,
  type Mode,
  modes,
  type Policy,
  policyOf
} from "@rollcall/pod-security"
import type { Steps } from "@rollcall/time"
import type { AdmissionAttributes } from "../../core/admission/Admission.ts"
import { invalidLabels, type Response, violationsAt } from "./decide.ts"
import { isExempt, type Rules } from "./Rules.ts"

type Labels = Readonly<Record<string, string>>

/** How many pods of a namespace are evaluated at most, and for how long. Upstream: admission.go. */
const MAX_PODS = 3000
const MAX_MS = 1000

/** How many pods are evaluated before other requests may run. */
const PODS_AT_ONCE = 100

/**
 * Refuses labels that are no levels or versions, and warns if pods of the namespace violate the level that it now
 * enforces. Upstream: admission.go, ValidateNamespace.
 */
export const validateNamespaceInSteps = function* (rules: Rules, attributes: AdmissionAttributes): Steps<Response> {
  const { name, object, oldObject } = attributes
  const { defaults, exemptions } = rules.configuration
  const labels = object?.metadata.labels ?? {}
  const { errors, policy } = policyOf(labels, defaults)
  if (oldObject === undefined) return errors.length === 0 ? {} : { refusal: invalidLabels(attributes, errors) }
  const old = policyOf(oldObject.metadata.labels, defaults)
  if (errors.length > 0 && JSON.stringify(errors) !== JSON.stringify(old.errors)) {
    return { refusal: invalidLabels(attributes, errors) }
  }
  if (!isStricter(policy.enforce, old.policy.enforce)) return {}
  if (exemptions.namespaces.includes(name)) return { warnings: exemptionWarnings(name, labels, policy, defaults) }
  return { warnings: yield* podWarningsInSteps(rules, name, policy.enforce) }
}

const isStricter = (now: LevelVersion, before: LevelVersion): boolean => {
  if (now.level === "privileged") return false
  return now.version !== before.version || compareLevels(now.level, before.level) > 0
}

/** Says which labels of an exempt namespace have no effect. Upstream: admission.go, exemptNamespaceWarning. */
const exemptionWarnings = (name: string, labels: Labels, policy: Policy, defaults: Policy): ReadonlyArray<string> => {
  if (isPrivileged(policy) || isSamePolicy(policy, defaults)) return []
  const isSet = (mode: Mode) =>
    [mode, `${mode}-version`].some((label) => labels[`${labelPrefix}${label}`] !== undefined)
  const ignored = modes
    .filter((mode) => policy[mode].level !== "privileged" && isSet(mode))
    .map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`)
  return [`namespace "${name}" is exempt from Pod Security, and the policy (${ignored.join(", ")}) will be ignored`]
}

/** Pods that violate a level for the same reasons. */
interface Violators {
  /** The first by name. */
  first: string
  count: number
}

const podWarningsInSteps = function* (
  rules: Rules,
  namespace: string,
  enforce: LevelVersion
): Steps<ReadonlyArray<string>> {
  const pods = prioritized(rules, rules.reader.list("Pod", namespace))
  const endMs = rules.now() + MAX_MS
  const byReasons = new Map<string, Violators>()
  let checked = 0
  for (const { metadata, spec } of pods.slice(0, MAX_PODS)) {
    checked++
    const violations = violationsAt(rules, enforce, metadata, spec)
    if (violations.length > 0) addViolator(byReasons, formatReasons(violations), metadata.name ?? "")
    if (rules.now() >= endMs) break
    if (checked % PODS_AT_ONCE === 0) yield
  }
  const found = [...byReasons].map(([reasons, violators]) => `${violatorsText(violators)}: ${reasons}`).sort()
  return [
    ...(checked === pods.length
      ? []
      : [`new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`]),
    ...(found.length === 0
      ? []
      : [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevelVersion(enforce)}"`
        ]),
    ...found
  ]
}

const addViolator = (byReasons: Map<string, Violators>, reasons: string, name: string) => {
  const violators = byReasons.get(reasons)
  if (violators === undefined) {
    byReasons.set(reasons, { first: name, count: 1 })
    return
  }
  violators.count++
  if (name < violators.first) violators.first = name
}

const violatorsText = ({ count, first }: Violators): string => {
  if (count === 1) return first
  return count === 2 ? `${first} (and 1 other pod)` : `${first} (and ${count - 1} other pods)`
}

/** Returns the pods that are not exempt: first one of each controller and those without, then the others. */
const prioritized = (rules: Rules, pods: ReadonlyArray<Pod>): ReadonlyArray<Pod> => {
  const controllers = new Set<string>()
  const first: Array<Pod> = []
  const replicas: Array<Pod> = []
  for (const pod of pods) {
    if (isExempt(rules, pod.spec.runtimeClassName)) continue
    const uid = getControllerOf(pod)?.uid
    if (uid !== undefined && controllers.has(uid)) {
      replicas.push(pod)
      continue
    }
    first.push(pod)
    if (uid !== undefined) controllers.add(uid)
  }
  return [...first, ...replicas]
}
