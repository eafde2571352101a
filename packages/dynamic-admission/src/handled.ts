/** The reviews, which a cluster needs whatever its policies say. Upstream: pkg/kubeapiserver/admission/exclusion. */
const excluded: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authorization.k8s.io/subjectaccessreviews"
])

/**
 * Whether a request writes the configuration of admission, which no webhook handles. Upstream:
 * plugin/webhook/predicates/rules/rules.go, IsExemptAdmissionConfigurationResource.
 */
export const isExempt = ({ group }: { readonly group: string }): boolean => group === "admissionregistration.k8s.io"

/** Policies do not handle policies. */
const policies: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings"
])

/**
 * Whether policies handle requests for a resource: those for webhooks, too. Upstream: plugin/policy/generic/plugin.go,
 * Dispatch.
 */
export const isHandledByPolicies = ({ group, plural }: { readonly group: string; readonly plural: string }): boolean =>
  !(isExempt({ group }) && policies.has(plural)) && !excluded.has(`${group}/${plural}`)
