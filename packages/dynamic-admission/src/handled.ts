/** The reviews, which a cluster needs whatever its policies say. Upstream: pkg/kubeapiserver/admission/exclusion. */
const excluded: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authorization.k8s.io/subjectaccessreviews"
])

/** Whether a request writes the configuration of admission itself, which neither policies nor webhooks handle. */
export const isExempt = ({ group }: { readonly group: string }): boolean => group === "admissionregistration.k8s.io"

/** Whether policies handle requests for a resource. */
export const isHandledByPolicies = ({ group, plural }: { readonly group: string; readonly plural: string }): boolean =>
  !isExempt({ group }) && !excluded.has(`${group}/${plural}`)
