import { forbidden, groupResourceOf, internalError, invalid, type KubeObject, type Status } from "@rollcall/api"
import { type FieldErrors, fieldErrorsText } from "@rollcall/api/validation"
import {
  evaluate,
  formatLevelVersion,
  formatViolations,
  isPrivileged,
  type LabelError,
  type LevelVersion,
  type Mode,
  minorOf,
  type PodMetadata,
  type PodSpec,
  type Policy,
  policyOf,
  type Violation
} from "@rollcall/pod-security"
import type { AdmissionAttributes } from "../../core/admission/Admission.ts"
import { isExempt, type Rules } from "./Rules.ts"

/** The answer to a write. */
export interface Response {
  readonly refusal?: Status
  readonly warnings?: ReadonlyArray<string>
  /** Annotations of the audit, without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>
}

const accepted: Response = {}

/** A pod, or the template of a workload. */
interface Template {
  readonly metadata?: PodMetadata
  readonly spec?: PodSpec & { readonly runtimeClassName?: string }
}

/** Returns the template of a workload; undefined if it has none. */
const templateOf = (object: KubeObject): Template | undefined => {
  const { jobTemplate, template } = ((object as { spec?: object }).spec ?? {}) as {
    template?: Template
    jobTemplate?: { spec?: { template?: Template } }
  }
  return template ?? jobTemplate?.spec?.template ?? (object as { template?: Template }).template
}

/** The errors of labels, as the API reports them. */
export const fieldErrorsOf = (errors: ReadonlyArray<LabelError>): FieldErrors =>
  errors.map(({ label, message, value }) => ({
    type: "FieldValueInvalid",
    field: `metadata.labels[${label}]`,
    badValue: value,
    detail: message
  }))

type Image = { readonly name?: string; readonly image?: string }

/** Whether an update of a pod changes an image or adds a container. Upstream: isSignificantPodUpdate. */
const isSignificant = (pod: KubeObject, old: KubeObject): boolean => {
  const containersOf = (object: KubeObject, list: string): ReadonlyArray<Image> =>
    (object as { spec?: Record<string, ReadonlyArray<Image> | undefined> }).spec?.[list] ?? []
  const differs = (list: string) => {
    const before = containersOf(old, list)
    const after = containersOf(pod, list)
    return before.length !== after.length || after.some(({ image }, index) => image !== before[index]?.image)
  }
  if (differs("containers") || differs("initContainers")) return true
  const debugging = containersOf(old, "ephemeralContainers")
  return containersOf(pod, "ephemeralContainers").some(({ image, name }) => {
    const known = debugging.find((container) => container.name === name)
    return known === undefined || known.image !== image
  })
}

/** Returns the policy by which a namespace's pods are evaluated; undefined if there is no such namespace. */
const policyOfNamespace = ({ configuration, reader }: Rules, name: string) => {
  const namespace = reader.get("Namespace", "", name)
  return namespace && policyOf(namespace.metadata.labels, configuration.defaults)
}

/** Returns the exemption of a write of pods or workloads; undefined if there is none. */
const exempted = (rules: Rules, attributes: AdmissionAttributes): Response | undefined => {
  const { namespaces, usernames } = rules.configuration.exemptions
  const why = namespaces.includes(attributes.namespace)
    ? "namespace"
    : usernames.includes(attributes.userInfo.user)
      ? "user"
      : undefined
  if (why === undefined) return undefined
  rules.metrics.exempted(attributes)
  return { annotations: { exempt: why } }
}

const lookupFailed = (namespace: string): string => `failed to lookup namespace ${JSON.stringify(namespace)}`

/** Upstream: admission.go, ValidatePod. */
export const validatePod = (rules: Rules, attributes: AdmissionAttributes): Response => {
  const exemption = exempted(rules, attributes)
  if (exemption !== undefined) return exemption
  const found = policyOfNamespace(rules, attributes.namespace)
  if (found === undefined) {
    rules.metrics.failed(true, attributes)
    const refusal = internalError(lookupFailed(attributes.namespace))
    return { refusal, annotations: { error: refusal.message ?? "" } }
  }
  const { errors, policy } = found
  if (errors.length === 0 && isPrivileged(policy)) {
    rules.metrics.privileged(attributes)
    return { annotations: { "enforce-policy": "privileged:latest" } }
  }
  const { object, oldObject } = attributes
  if (object === undefined || (oldObject !== undefined && !isSignificant(object, oldObject))) return accepted
  return evaluateTemplate(rules, attributes, object as Template, { errors, policy, enforce: true })
}

/** Upstream: admission.go, ValidatePodController. */
export const validateController = (rules: Rules, attributes: AdmissionAttributes): Response => {
  const exemption = exempted(rules, attributes)
  if (exemption !== undefined) return exemption
  const found = policyOfNamespace(rules, attributes.namespace)
  if (found === undefined) {
    rules.metrics.failed(true, attributes)
    return { annotations: { error: lookupFailed(attributes.namespace) } }
  }
  const { errors, policy } = found
  if (errors.length === 0 && policy.warn.level === "privileged" && policy.audit.level === "privileged") return accepted
  const template = attributes.object && templateOf(attributes.object)
  return template === undefined
    ? accepted
    : evaluateTemplate(rules, attributes, template, { errors, policy, enforce: false })
}

interface Asked {
  readonly policy: Policy
  readonly errors: ReadonlyArray<LabelError>
  /** Whether a violation refuses the object: not that of a workload, whose pods are refused. */
  readonly enforce: boolean
}

/** Upstream: admission.go, EvaluatePod. */
const evaluateTemplate = (
  rules: Rules,
  attributes: AdmissionAttributes,
  { metadata = {}, spec = {} }: Template,
  { enforce, errors, policy }: Asked
): Response => {
  if (isExempt(rules, spec.runtimeClassName)) {
    rules.metrics.exempted(attributes)
    return { annotations: { exempt: "runtimeClass" } }
  }
  const annotations: Record<string, string> = {}
  if (errors.length > 0) {
    annotations.error = `Failed to parse policy: ${fieldErrorsText(fieldErrorsOf(errors))}`
    rules.metrics.failed(false, attributes)
  }
  const known = new Map<string, ReadonlyArray<Violation>>()
  const violationsOf = (mode: Mode): ReadonlyArray<Violation> => {
    const key = formatLevelVersion(policy[mode])
    const violations = known.get(key) ?? violationsAt(rules, policy[mode], metadata, spec)
    known.set(key, violations)
    return violations
  }
  const textOf = (mode: Mode, violations: ReadonlyArray<Violation>) =>
    `violate${mode === "enforce" ? "s" : ""} PodSecurity "${formatLevelVersion(policy[mode])}": ${formatViolations(violations)}`
  const count = (decision: "allow" | "deny", mode: Mode) => {
    const { level, version } = policy[mode]
    const isFuture = version !== "latest" && minorOf(version) > rules.minor
    rules.metrics.evaluated(decision, { level, version: isFuture ? "future" : version }, mode, attributes)
  }
  let refusal: Status | undefined
  if (enforce) {
    annotations["enforce-policy"] = formatLevelVersion(policy.enforce)
    const violations = violationsOf("enforce")
    count(violations.length === 0 ? "allow" : "deny", "enforce")
    if (violations.length > 0) {
      const { name, resource } = attributes
      refusal = forbidden(groupResourceOf(resource), name, textOf("enforce", violations))
    }
  }
  const noted = violationsOf("audit")
  if (noted.length > 0) {
    annotations["audit-violations"] = `would ${textOf("audit", noted)}`
    count("deny", "audit")
  }
  if (refusal !== undefined) return { refusal, annotations }
  const warned = violationsOf("warn")
  if (warned.length === 0) return { annotations }
  count("deny", "warn")
  return { annotations, warnings: [`would ${textOf("warn", warned)}`] }
}

/** Returns the violations by the checks that the server's release knows. */
export const violationsAt = (
  { minor }: Pick<Rules, "minor">,
  { level, version }: LevelVersion,
  metadata: PodMetadata,
  spec: PodSpec
): ReadonlyArray<Violation> => evaluate(level, minorOf(version) > minor ? `v1.${minor}` : version, metadata, spec)

/** Returns the refusal of a namespace with such labels. */
export const invalidLabels = ({ name }: AdmissionAttributes, errors: ReadonlyArray<LabelError>): Status =>
  invalid({ group: "", kind: "Namespace" }, name, fieldErrorsOf(errors))
