import type {
  KubeObject,
  LabelSelector,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy
} from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const UNSET = "<unset>"

const kindText = (kind: ParamKind | undefined): string =>
  kind === undefined ? UNSET : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`

const paramKind = (of: (object: never) => ParamKind | undefined) =>
  column("ParamKind", "string", "The kind of its parameters.", (object) => kindText(of(object as never)))

/** Upstream: pkg/printers/internalversion/printers.go, printValidatingAdmissionPolicy. */
export const validatingPolicies: Printer = printer<ValidatingAdmissionPolicy>(
  nameColumn,
  column("Validations", "integer", "How many validations it has.", ({ spec }) => spec?.validations?.length ?? 0),
  paramKind(({ spec }: ValidatingAdmissionPolicy) => spec?.paramKind),
  ageColumn
)

/** Upstream: printMutatingAdmissionPolicy. */
export const mutatingPolicies: Printer = printer<MutatingAdmissionPolicy>(
  nameColumn,
  column("Mutations", "integer", "How many mutations it has.", ({ spec }) => spec?.mutations?.length ?? 0),
  paramKind(({ spec }: MutatingAdmissionPolicy) => spec?.paramKind),
  ageColumn
)

/** Returns a selector as Go prints its struct. */
const selectorText = ({ matchExpressions = [], matchLabels = {} }: LabelSelector): string => {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`
}

const referenceText = (reference: ParamRef | undefined): string => {
  if (reference === undefined) return UNSET
  const { name, namespace, selector } = reference
  if (name) return `${namespace || "*"}/${name}`
  return selector === undefined ? UNSET : selectorText(selector)
}

/** Upstream: printValidatingAdmissionPolicyBinding, printMutatingAdmissionPolicyBinding. */
export const bindings: Printer = printer<MutatingAdmissionPolicyBinding>(
  nameColumn,
  column("PolicyName", "string", "The policy that it binds.", ({ spec }) => spec?.policyName ?? ""),
  column("ParamRef", "string", "The parameters of the policy.", ({ spec }) => referenceText(spec?.paramRef)),
  ageColumn
)

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: ReadonlyArray<unknown>
}

/** Upstream: printValidatingWebhook, printMutatingWebhook. */
export const webhookConfigurations: Printer = printer<WebhookConfiguration>(
  nameColumn,
  column("Webhooks", "integer", "How many webhooks it has.", ({ webhooks }) => webhooks?.length ?? 0),
  ageColumn
)
