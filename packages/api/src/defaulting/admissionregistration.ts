import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamRef,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig
} from "../objects/AdmissionRegistration.ts"
import { mapItems, withDefaults, withFields } from "./fill.ts"

/** Upstream: pkg/apis/admissionregistration/v1/{defaults.go,zz_generated.defaults.go}. */

const everything = {}

/** An empty text is one that validation refuses: only what is absent has a default. */
const withAbsent = <A extends object>(object: A, defaults: Partial<A>): A => {
  const missing = Object.entries(defaults).filter(([key]) => (object as Record<string, unknown>)[key] === undefined)
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) }
}

const completeRule = <A extends RuleWithOperations>(rule: A): A => withAbsent<A>(rule, { scope: "*" } as Partial<A>)

const selection = { matchPolicy: "Equivalent", namespaceSelector: everything, objectSelector: everything } as const

const completeMatch = (match: MatchResources | undefined): MatchResources | undefined =>
  match === undefined
    ? undefined
    : withFields(withAbsent<MatchResources>(match, selection), {
        resourceRules: match.resourceRules && mapItems(match.resourceRules, completeRule),
        excludeResourceRules: match.excludeResourceRules && mapItems(match.excludeResourceRules, completeRule)
      })

interface Policy {
  readonly spec?: { readonly failurePolicy?: string; readonly matchConstraints?: MatchResources }
}

const completePolicy = <A extends Policy>(policy: A): A => {
  const spec = withAbsent(policy.spec ?? {}, { failurePolicy: "Fail" })
  const matchConstraints = completeMatch(policy.spec?.matchConstraints)
  return withFields<A>(policy, { spec: withFields(spec as object, { matchConstraints } as object) } as Partial<A>)
}

export const defaultValidatingAdmissionPolicy = (policy: ValidatingAdmissionPolicy): ValidatingAdmissionPolicy =>
  completePolicy(policy)

export const defaultMutatingAdmissionPolicy = (policy: MutatingAdmissionPolicy): MutatingAdmissionPolicy =>
  completePolicy(policy)

interface Binding {
  readonly spec?: { readonly matchResources?: MatchResources; readonly paramRef?: ParamRef }
}

const completeBinding = <A extends Binding>(binding: A): A => {
  if (binding.spec?.matchResources === undefined) return binding
  const spec = withFields(
    binding.spec as object,
    { matchResources: completeMatch(binding.spec.matchResources) } as object
  )
  return withFields<A>(binding, { spec } as Partial<A>)
}

export const defaultValidatingAdmissionPolicyBinding = (
  binding: ValidatingAdmissionPolicyBinding
): ValidatingAdmissionPolicyBinding => completeBinding(binding)

export const defaultMutatingAdmissionPolicyBinding = (
  binding: MutatingAdmissionPolicyBinding
): MutatingAdmissionPolicyBinding => completeBinding(binding)

const completeClient = (config: WebhookClientConfig | undefined): WebhookClientConfig | undefined =>
  config?.service === undefined
    ? config
    : withFields<WebhookClientConfig>(config, { service: withDefaults(config.service, { port: 443 }) })

const completeWebhook = <A extends ValidatingWebhook>(webhook: A): A =>
  withFields<A>(withAbsent<A>(webhook, { ...selection, failurePolicy: "Fail", timeoutSeconds: 10 } as Partial<A>), {
    rules: webhook.rules && mapItems(webhook.rules, completeRule),
    clientConfig: completeClient(webhook.clientConfig)
  } as Partial<A>)

export const defaultValidatingWebhookConfiguration = (
  configuration: ValidatingWebhookConfiguration
): ValidatingWebhookConfiguration =>
  withFields(configuration, { webhooks: configuration.webhooks && mapItems(configuration.webhooks, completeWebhook) })

export const defaultMutatingWebhookConfiguration = (
  configuration: MutatingWebhookConfiguration
): MutatingWebhookConfiguration =>
  withFields(configuration, {
    webhooks:
      configuration.webhooks &&
      mapItems(configuration.webhooks, (webhook) =>
        withAbsent(completeWebhook(webhook), { reinvocationPolicy: "Never" })
      )
  })
