import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus
} from "@rollcall/api"
import { type Approval, approvalOf, caBundleFault, semanticEqual } from "@rollcall/api/validation"

/** The names that a group's other kinds use. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** The reason and message of a false condition. */
interface Conflict {
  readonly reason: string
  readonly message: string
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`

/** Returns the accepted names, which are the wanted ones as far as they are free, and the last conflict. */
const acceptNames = (
  wanted: CustomResourceDefinitionNames,
  accepted: CustomResourceDefinitionNames,
  taken: TakenNames
): { readonly names: CustomResourceDefinitionNames; readonly conflict: Conflict | undefined } => {
  let conflict: Conflict | undefined
  const isFree = (name: string, before: string, among: ReadonlySet<string>, reason: string): boolean => {
    if (name === before || !among.has(name)) return true
    conflict = { reason, message: inUse(name) }
    return false
  }
  const { listKind = "", shortNames = [], singular = "" } = wanted
  const names: { -readonly [Key in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[Key] } = {
    ...accepted
  }
  if (isFree(wanted.plural, accepted.plural, taken.resources, "PluralConflict")) names.plural = wanted.plural
  if (isFree(singular, accepted.singular ?? "", taken.resources, "SingularConflict")) names.singular = singular
  const conflicting = shortNames.filter((name) => !accepted.shortNames?.includes(name) && taken.resources.has(name))
  if (conflicting.length === 0) names.shortNames = shortNames
  else {
    const texts = conflicting.map(inUse)
    const message = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
    conflict = { reason: "ShortNamesConflict", message }
  }
  if (isFree(wanted.kind, accepted.kind, taken.kinds, "KindConflict")) names.kind = wanted.kind
  if (isFree(listKind, accepted.listKind ?? "", taken.kinds, "ListKindConflict")) names.listKind = listKind
  if (wanted.categories !== undefined) names.categories = wanted.categories
  else delete names.categories
  if (names.shortNames?.length === 0) delete names.shortNames
  return { names, conflict }
}

export type ConditionType = CustomResourceDefinitionCondition["type"]

export const conditionOf = (
  definition: CustomResourceDefinition,
  type: ConditionType
): CustomResourceDefinitionCondition | undefined =>
  definition.status?.conditions?.find((condition) => condition.type === type)

export const isTrue = (definition: CustomResourceDefinition, type: ConditionType): boolean =>
  conditionOf(definition, type)?.status === "True"

/** Returns the conditions with one replaced or appended; its transition time is kept while its status is unchanged. */
export const withCondition = (
  conditions: ReadonlyArray<CustomResourceDefinitionCondition>,
  made: Omit<CustomResourceDefinitionCondition, "lastTransitionTime">,
  now: string
): ReadonlyArray<CustomResourceDefinitionCondition> => {
  const before = conditions.find(({ type }) => type === made.type)
  const { message, reason, status, type } = made
  if (before !== undefined && before.status === status && before.reason === reason && before.message === message) {
    return conditions
  }
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now
  const condition = { type, status, lastTransitionTime, reason, message } as CustomResourceDefinitionCondition
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === before ? condition : other))
}

const noNames: CustomResourceDefinitionNames = { plural: "", kind: "" }

type Made = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">

const withNames = (
  definition: CustomResourceDefinition,
  taken: TakenNames,
  now: string
): CustomResourceDefinitionStatus => {
  const { status = {} } = definition
  const { conflict, names } = acceptNames(definition.spec.names, status.acceptedNames ?? noNames, taken)
  const accepted: Made =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict }
  const conditions = withCondition(status.conditions ?? [], accepted, now)
  if (isTrue(definition, "Established")) return { ...status, acceptedNames: names, conditions }
  const established: Made = {
    type: "Established",
    status: "False",
    ...(conflict === undefined ? installing : (conditionOf(definition, "Established") ?? notAccepted))
  }
  return { ...status, acceptedNames: names, conditions: withCondition(conditions, established, now) }
}

const approvals: Readonly<Record<Approval["state"], Pick<Made, "status" | "reason">>> = {
  approved: { status: "True", reason: "ApprovedAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  missing: { status: "False", reason: "MissingAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" }
}

/** Whether the versions of a definition can be converted here. */
export const canConvert = (definition: CustomResourceDefinition, callsWebhooks: boolean): boolean =>
  establishRefusal(definition, callsWebhooks) === undefined

interface Webhook {
  readonly clientConfig?: { readonly caBundle?: string }
}

/** Returns why a definition cannot be served although its names are accepted; undefined if it can. */
const establishRefusal = ({ spec }: CustomResourceDefinition, callsWebhooks: boolean): Conflict | undefined => {
  if (spec.conversion?.strategy !== "Webhook") return undefined
  const { clientConfig } = (spec.conversion.webhook ?? {}) as Webhook
  if (caBundleFault(clientConfig?.caBundle ?? "") !== undefined) {
    return { reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" }
  }
  if (callsWebhooks || spec.versions.length === 1) return undefined
  return {
    reason: "ConversionNotSupported",
    message:
      "conversion webhooks are not called in a rehearsal, and neither are admission webhooks: use the strategy None, or a single version"
  }
}

/**
 * Returns the next status of a definition: the first of the steps that changes it. Each step is a write of its own, as
 * of a controller of its own. Upstream: apiextensions-apiserver/pkg/controller/{apiapproval/apiapproval_controller,
 * status/naming_controller,establish/establishing_controller}.go.
 */
export const decideStatus = (
  definition: CustomResourceDefinition,
  taken: TakenNames,
  now: string,
  callsWebhooks: boolean
): CustomResourceDefinitionStatus => {
  const { status = {} } = definition
  const set = (made: Made) => ({ ...status, conditions: withCondition(status.conditions ?? [], made, now) })
  const approval = approvalOf(definition)
  if (approval !== undefined) {
    const { reason: message, state } = approval
    const before = conditionOf(definition, "KubernetesAPIApprovalPolicyConformant")
    if (before?.message !== message) {
      return set({ type: "KubernetesAPIApprovalPolicyConformant", ...approvals[state], message })
    }
  }
  if (!semanticEqual(definition.spec.names, status.acceptedNames)) {
    const named = withNames(definition, taken, now)
    if (!semanticEqual(named, status)) return named
  }
  if (!isTrue(definition, "NamesAccepted") || isTrue(definition, "Established")) return status
  const refusal = establishRefusal(definition, callsWebhooks)
  return set({
    type: "Established",
    ...(refusal === undefined ? { status: "True", ...initialNames } : { status: "False", ...refusal })
  })
}

const notAccepted = { reason: "NotAccepted", message: "not all names are accepted" }
const installing = { reason: "Installing", message: "the initial names have been accepted" }
const initialNames = { reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
