import { type KubeObject, type LabelSelector, matchesLabelSelector, notFound, type Status } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionKinds } from "../ports.ts"
import { metadataOf, type Subject } from "../Subject.ts"

const isEmpty = ({ matchExpressions = [], matchLabels = {} }: LabelSelector): boolean =>
  matchExpressions.length === 0 && Object.keys(matchLabels).length === 0

/** Whether a selector matches the object or its old state. Upstream: plugin/webhook/predicates/object/matcher.go. */
export const objectMatches = (selector: LabelSelector, { object, oldObject }: Subject): boolean => {
  if (isEmpty(selector)) return true
  const matches = (of: KubeObject | undefined) => {
    const metadata = metadataOf(of)
    return metadata !== undefined && matchesLabelSelector(selector, metadata.labels)
  }
  return matches(object) || matches(oldObject)
}

/**
 * Whether a selector matches the namespace of a request; for a Namespace its own labels count. Fails if the namespace does
 * not exist. Upstream: plugin/webhook/predicates/namespace/matcher.go.
 */
export const namespaceMatches = (
  selector: LabelSelector,
  subject: Subject,
  registry: AdmissionKinds
): Result.Result<boolean, Status> => {
  const { namespace, object, operation, resource, subresource } = subject
  const isNamespace = resource.resource === "namespaces"
  if ((namespace === "" && !isNamespace) || isEmpty(selector)) return Result.succeed(true)
  const isOwn = isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE")
  if (isOwn) return Result.succeed(matchesLabelSelector(selector, metadataOf(object)?.labels))
  const found = registry.kinds.Namespace.cache.get("", namespace)
  if (found === undefined) return Result.fail(notFound({ group: "", resource: "namespaces" }, namespace))
  return Result.succeed(matchesLabelSelector(selector, found.object.metadata.labels))
}
