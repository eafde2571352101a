import type { ResourceQuota, ResourceQuotaSpec } from "../objects/Quota.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { invalidOperator } from "./labels.ts"
import { makeRules } from "./makeRules.ts"
import { checkResourceName, isQuotaResource, validateResourceQuantity } from "./resources.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateResourceQuota; pkg/apis/core/helper/helpers.go. */

const checkAmounts = (errors: ErrorList, amounts: ResourceList | undefined, path: string): void => {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const at = `${path}[${name}]`
    checkResourceName(errors, name, at)
    if (!name.includes("/") && !isQuotaResource(name)) {
      errors.invalid(at, typed(name), "must be a standard resource for quota")
    }
    validateResourceQuantity(errors, name, amount, at)
  }
}

const compute = ["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`])
const ofPods: ReadonlySet<string> = new Set(["pods", ...compute])

/** The resources of which a scope can tell how much is used. */
const scopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Terminating", ofPods],
  ["NotTerminating", ofPods],
  ["BestEffort", new Set(["pods"])],
  ["NotBestEffort", ofPods],
  ["PriorityClass", ofPods],
  ["CrossNamespacePodAffinity", ofPods],
  ["VolumeAttributesClass", new Set(["persistentvolumeclaims", "requests.storage"])]
])

const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"]
]

/** Where an error about a scope is reported, and what it shows. */
interface Place {
  readonly path: string
  readonly shown: unknown
}

/** Checks that the scope is known, and applies to all resources of the quota. */
const checkScope = (errors: ErrorList, scope: string, { hard }: ResourceQuotaSpec, own: Place, whole: Place): void => {
  const resources = scopes.get(scope)
  if (resources === undefined) errors.invalid(own.path, own.shown, "unsupported scope")
  for (const name of Object.keys(hard ?? {}).sort()) {
    if (resources === undefined || !isQuotaResource(name) || resources.has(name)) continue
    errors.invalid(whole.path, whole.shown, "unsupported scope applied to resource")
  }
}

const checkConflicts = (errors: ErrorList, names: ReadonlyArray<string>, { path, shown }: Place): void => {
  for (const pair of conflicting) {
    if (pair.every((scope) => names.includes(scope))) errors.invalid(path, shown, "conflicting scopes")
  }
}

type Selector = NonNullable<ResourceQuotaSpec["scopeSelector"]>
type Requirement = NonNullable<Selector["matchExpressions"]>[number]

/** The scopes that an object matches or does not, without values. */
const withoutValues = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"]

const checkRequirement = (errors: ErrorList, { operator, scopeName, values = [] }: Requirement, path: string): void => {
  if (withoutValues.includes(scopeName) && operator !== "Exists") {
    const names = "Terminating, NotTerminating, BestEffort, NotBestEffort or CrossNamespacePodAffinity"
    const shown = names.replace(/\b(?=[TNBC])/g, "ResourceQuotaScope")
    errors.invalid(`${path}.operator`, typed(operator), `must be 'Exists' when scope is any of ${shown}`)
  }
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    if (values.length === 0) errors.required(`${path}.values`, detail)
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    if (values.length > 0) errors.invalid(`${path}.values`, values, detail)
  } else errors.invalid(`${path}.operator`, typed(operator), invalidOperator)
}

/** Returns a selector as messages show it: with the names of Go's internal fields. */
const shownSelector = ({ matchExpressions = [] }: Selector): unknown => ({
  MatchExpressions: matchExpressions.map(({ operator, scopeName, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null
  }))
})

const checkSelector = (errors: ErrorList, spec: ResourceQuotaSpec, selector: Selector): void => {
  const path = "spec.scopeSelector.matchExpressions"
  const requirements = selector.matchExpressions ?? []
  for (const requirement of requirements) {
    const { scopeName } = requirement
    const own = { path: `${path}.scopeName`, shown: typed(scopeName) }
    checkScope(errors, scopeName, spec, own, { path, shown: shownSelector(selector) })
    checkRequirement(errors, requirement, path)
  }
  const names = requirements.map(({ scopeName }) => scopeName)
  checkConflicts(errors, names, { path, shown: spec.scopes ?? null })
}

export const resourceQuotaRules = makeRules<ResourceQuota>("Namespaced", {
  onUpdate: "change",
  check: (errors, { spec = {} }, old) => {
    checkAmounts(errors, spec.hard, "spec.hard")
    const given = spec.scopes ?? []
    const place = { path: "spec.scopes", shown: given }
    for (const scope of given) checkScope(errors, scope, spec, place, place)
    checkConflicts(errors, given, place)
    if (spec.scopeSelector !== undefined) checkSelector(errors, spec, spec.scopeSelector)
    if (old === undefined) return
    const before = new Set(old.spec?.scopes)
    const after = new Set(given)
    if (before.size !== after.size || given.some((scope) => !before.has(scope))) {
      errors.invalid("spec.scopes", spec.scopes ?? null, "field is immutable")
    }
  },
  status: (errors, { status }) => {
    checkAmounts(errors, status?.hard, "status.hard")
    checkAmounts(errors, status?.used, "status.used")
  }
})
