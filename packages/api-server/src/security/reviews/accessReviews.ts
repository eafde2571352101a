import { badRequest } from "@rollcall/api"
import * as Result from "effect/Result"
import type { VirtualResource } from "../../core/admission/VirtualResource.ts"
import type { Authorizer } from "../../core/ports/Security.ts"
import { accessErrors, decide, metadataErrors, shownPath, subjectErrors, subjectOf } from "./access.ts"
import {
  answer,
  authorizationGroup,
  fault,
  fieldsOf,
  invalidReview,
  type Posted,
  reviewResource,
  textOf
} from "./review.ts"

const specOf = (posted: Posted) => fieldsOf(posted.spec) ?? {}

/** Upstream: pkg/registry/authorization/selfsubjectaccessreview/rest.go. */
const selfSubjectAccessReviews = (authorizer: Authorizer): VirtualResource => ({
  resource: reviewResource("SelfSubjectAccessReview", authorizationGroup, false),
  create: ({ object, user }) => {
    const spec = specOf(object)
    const errors = [...accessErrors(spec), ...metadataErrors(object, false)]
    if (errors.length > 0) return Result.fail(invalidReview(errors))
    return Result.succeed(answer(object, spec, decide(authorizer, user, spec)))
  }
})

/** Upstream: pkg/registry/authorization/subjectaccessreview/rest.go. */
const subjectAccessReviews = (authorizer: Authorizer): VirtualResource => ({
  resource: reviewResource("SubjectAccessReview", authorizationGroup, false),
  create: ({ object }) => {
    const spec = specOf(object)
    const errors = [...subjectErrors(spec), ...metadataErrors(object, false)]
    if (errors.length > 0) return Result.fail(invalidReview(errors))
    return Result.succeed(answer(object, spec, decide(authorizer, subjectOf(spec), spec)))
  }
})

/** Upstream: pkg/registry/authorization/localsubjectaccessreview/rest.go. */
const localSubjectAccessReviews = (authorizer: Authorizer): VirtualResource => ({
  resource: reviewResource("LocalSubjectAccessReview", authorizationGroup, true),
  create: ({ namespace, object }) => {
    const spec = specOf(object)
    const attributes = fieldsOf(spec.resourceAttributes)
    const requestedNamespace = textOf(attributes?.namespace)
    const nonResource = spec.nonResourceAttributes
    const errors = [
      ...subjectErrors(spec),
      ...metadataErrors(object, true),
      ...(attributes !== undefined && requestedNamespace !== namespace
        ? [fault("spec.resourceAttributes.namespace", requestedNamespace, "must match metadata.namespace")]
        : []),
      ...(nonResource === undefined
        ? []
        : [fault("spec.nonResourceAttributes", shownPath(nonResource), "disallowed on this kind of request")])
    ]
    if (errors.length > 0) return Result.fail(invalidReview(errors))
    if (namespace === "") return Result.fail(badRequest(`namespace is required on this type: ${namespace}`))
    const placed = { ...object, metadata: { ...object.metadata, namespace } }
    return Result.succeed(answer(placed, spec, decide(authorizer, subjectOf(spec), spec)))
  }
})

/** Upstream: pkg/registry/authorization/selfsubjectrulesreview/rest.go. */
const selfSubjectRulesReviews = (authorizer: Authorizer): VirtualResource => ({
  resource: reviewResource("SelfSubjectRulesReview", authorizationGroup, false),
  create: ({ object, user }) => {
    const namespace = textOf(specOf(object).namespace)
    if (namespace === "") return Result.fail(badRequest("no namespace on request"))
    const { evaluationError, incomplete, nonResourceRules, resourceRules } = authorizer.rulesFor(user, namespace)
    const status = {
      resourceRules,
      nonResourceRules,
      incomplete,
      ...(evaluationError === undefined ? {} : { evaluationError })
    }
    // Upstream does not return the spec.
    return Result.succeed(answer({ ...object, metadata: {} }, {}, status))
  }
})

/** Returns the resources of group authorization.k8s.io, answered by an authorizer. */
export const accessReviews = (authorizer: Authorizer): ReadonlyArray<VirtualResource> => [
  selfSubjectAccessReviews(authorizer),
  subjectAccessReviews(authorizer),
  localSubjectAccessReviews(authorizer),
  selfSubjectRulesReviews(authorizer)
]
