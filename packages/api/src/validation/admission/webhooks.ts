import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration
} from "../../objects/AdmissionRegistration.ts"
import type { KubeObject } from "../../objects/Meta.ts"
import { checkEndpoint } from "../definitions/conversion.ts"
import { ErrorList } from "../ErrorList.ts"
import { validateLabelSelector } from "../labels.ts"
import { makeRules } from "../makeRules.ts"
import { isDNS1035Label, isDNS1123Subdomain } from "../names.ts"
import { semanticEqual } from "../semanticEqual.ts"
import type { Validation } from "../Validation.ts"
import { type Expressions, type MakeExpressions, unchecked } from "./Expressions.ts"
import { checkMatchConditions } from "./expressionChecks.ts"
import { checkRule, failurePolicies, matchPolicies, reinvocationPolicies } from "./rules.ts"

/*
 * The validation of webhook configurations. Upstream: pkg/apis/admissionregistration/validation/validation.go.
 */

const reviewVersions = ["v1", "v1beta1"]
const allSideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"]
const noSideEffects = ["None", "NoneOnDryRun"]

type Webhooks = ReadonlyArray<ValidatingWebhook>

/** What stored webhooks may keep that new ones may not have. */
interface Tolerances {
  readonly conditions: boolean
  readonly sideEffects: boolean
  readonly reviewVersions: boolean
  readonly names: boolean
  readonly labels: boolean
}

const none: Tolerances = { conditions: false, sideEffects: false, reviewVersions: false, names: false, labels: false }

const hasInvalidLabels = (webhooks: Webhooks): boolean => {
  const errors = new ErrorList()
  for (const { namespaceSelector, objectSelector } of webhooks) {
    validateLabelSelector(errors, namespaceSelector, "")
    validateLabelSelector(errors, objectSelector, "")
  }
  return errors.size > 0
}

const tolerancesOf = (webhooks: Webhooks, old: Webhooks): Tolerances => ({
  conditions:
    webhooks.length === old.length &&
    webhooks.every(({ matchConditions }, index) => semanticEqual(matchConditions, old[index]?.matchConditions)),
  sideEffects: !old.every(({ sideEffects = "" }) => noSideEffects.includes(sideEffects)),
  reviewVersions: old.some(
    ({ admissionReviewVersions: given = [] }) =>
      given.length > 0 && !given.some((each) => reviewVersions.includes(each))
  ),
  names: new Set(old.map(({ name }) => name)).size !== old.length,
  labels: hasInvalidLabels(old)
})

const checkName = (errors: ErrorList, name: string, at: string): void => {
  const faults = isDNS1123Subdomain(name)
  if (name === "") errors.required(at)
  else if (faults.length > 0) errors.invalid(at, name, faults.join(","))
  else if (name.split(".").length < 3)
    errors.invalid(at, name, "should be a domain with at least three segments separated by dots")
}

const checkSupported = (errors: ErrorList, value: string | undefined, supported: ReadonlyArray<string>, at: string) => {
  if (value !== undefined && !supported.includes(value)) errors.notSupported(at, value, supported)
}

const checkSideEffects = (
  errors: ErrorList,
  { sideEffects }: ValidatingWebhook,
  allowed: ReadonlyArray<string>,
  at: string
) => {
  if (sideEffects === undefined) errors.required(at, `must specify one of ${allowed.join(", ")}`)
  else checkSupported(errors, sideEffects, allowed, at)
}

const checkReviewVersions = (
  errors: ErrorList,
  versions: ReadonlyArray<string>,
  tolerated: boolean,
  at: string
): void => {
  if (versions.length === 0) errors.required(at, `must specify one of ${reviewVersions.join(", ")}`)
  const seen = new Set<string>()
  versions.forEach((version, index) => {
    if (seen.has(version)) errors.invalid(`${at}[${index}]`, version, "duplicate version")
    else errors.invalidEach(`${at}[${index}]`, version, isDNS1035Label(version))
    seen.add(version)
  })
  if (!tolerated && versions.length > 0 && !reviewVersions.some((version) => seen.has(version)))
    errors.invalid(at, versions, `must include at least one of ${reviewVersions.join(", ")}`)
}

const checkWebhook = (
  errors: ErrorList,
  webhook: ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">,
  tolerances: Tolerances,
  compiled: Expressions,
  at: string
): void => {
  const { failurePolicy, matchPolicy, namespaceSelector, objectSelector, rules = [], timeoutSeconds } = webhook
  checkName(errors, webhook.name ?? "", `${at}.name`)
  rules.forEach((rule, index) => {
    checkRule(errors, rule, `${at}.rules[${index}]`)
  })
  checkSupported(errors, failurePolicy, failurePolicies, `${at}.failurePolicy`)
  checkSupported(errors, matchPolicy, matchPolicies, `${at}.matchPolicy`)
  checkSideEffects(errors, webhook, tolerances.sideEffects ? allSideEffects : noSideEffects, `${at}.sideEffects`)
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    const text = "the timeout value must be between 1 and 30 seconds"
    errors.invalid(`${at}.timeoutSeconds`, timeoutSeconds, text)
  }
  const selectors = { namespaceSelector, objectSelector }
  for (const [field, selector] of Object.entries(selectors)) {
    if (!tolerances.labels) validateLabelSelector(errors, selector, `${at}.${field}`)
  }
  checkSupported(errors, webhook.reinvocationPolicy, reinvocationPolicies, `${at}.reinvocationPolicy`)
  checkEndpoint(errors, { ...webhook.clientConfig }, `${at}.clientConfig`)
  if (!tolerances.conditions) {
    const place = { at: `${at}.matchConditions`, params: false }
    checkMatchConditions(errors, webhook.matchConditions ?? [], compiled, place)
  }
}

interface Configuration extends KubeObject {
  readonly webhooks?: ReadonlyArray<MutatingWebhook>
}

const rulesOf = <A extends Configuration>(makeExpressions: MakeExpressions): Validation<A> =>
  makeRules<A>("Cluster", {
    anyFinalizers: true,
    onUpdate: "object",
    check: (errors, { webhooks = [] }, old) => {
      const compiled = makeExpressions()
      const tolerances = old === undefined ? none : tolerancesOf(webhooks, old.webhooks ?? [])
      const names = new Set<string>()
      webhooks.forEach((webhook, index) => {
        const at = `webhooks[${index}]`
        const { admissionReviewVersions = [], name = "" } = webhook
        checkWebhook(errors, webhook, tolerances, compiled, at)
        checkReviewVersions(errors, admissionReviewVersions, tolerances.reviewVersions, `${at}.admissionReviewVersions`)
        if (!tolerances.names && name !== "" && names.has(name)) errors.duplicate(`${at}.name`, name)
        names.add(name)
      })
    }
  })

export const validatingWebhookRules = (makeExpressions: MakeExpressions = unchecked) =>
  rulesOf<ValidatingWebhookConfiguration>(makeExpressions)

export const mutatingWebhookRules = (makeExpressions: MakeExpressions = unchecked) =>
  rulesOf<MutatingWebhookConfiguration>(makeExpressions)
