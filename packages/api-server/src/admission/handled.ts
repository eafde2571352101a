import type { Subject } from "./Subject.ts"

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
export const isExempt = ({ resource }: Subject): boolean => resource.group === "admissionregistration.k8s.io"

/** Whether policies handle a request. */
export const isHandledByPolicies = (subject: Subject): boolean => {
  const { group, resource } = subject.resource
  return !isExempt(subject) && !excluded.has(`${group}/${resource}`)
}
