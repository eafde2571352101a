import { badRequest, formatTime, type KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { VirtualResource } from "../../core/admission/VirtualResource.ts"
import type { TokenLookup } from "../authentication/authenticators.ts"
import { answer, authenticationGroup, fieldsOf, type Posted, reviewResource, textOf, textsOf } from "./review.ts"

/** Returns a user in the form of authentication.k8s.io/v1 UserInfo. */
const userInfoOf = ({ extra, groups, uid, user }: UserInfo): object => ({
  username: user,
  ...(uid === undefined || uid === "" ? {} : { uid }),
  ...(groups.length === 0 ? {} : { groups }),
  ...(extra === undefined ? {} : { extra })
})

/** Returns the caller's identity. Upstream: pkg/registry/authentication/selfsubjectreview/rest.go. */
export const selfSubjectReviews = (now: () => number): VirtualResource => ({
  resource: reviewResource("SelfSubjectReview", authenticationGroup, false),
  create: ({ object: { apiVersion, kind }, user }) => {
    const metadata = { creationTimestamp: formatTime(now()) }
    return Result.succeed({ apiVersion, kind, metadata, status: { userInfo: userInfoOf(user) } } as KubeObject)
  }
})

const INVALID = "invalid bearer token"

/** Authenticates a token. Upstream: pkg/registry/authentication/tokenreview/storage.go. */
export const tokenReviews = (lookup: TokenLookup, ownAudiences: ReadonlyArray<string>): VirtualResource => ({
  resource: reviewResource("TokenReview", authenticationGroup, false),
  create: ({ namespace, object, warn }) => {
    const posted: Posted = object
    const spec = fieldsOf(posted.spec) ?? {}
    if (namespace !== "") return Result.fail(badRequest(`namespace is not allowed on this type: ${namespace}`))
    const token = textOf(spec.token)
    if (token === "") return Result.fail(badRequest("token is required for TokenReview in authentication"))
    const requested = textsOf(spec.audiences)
    const found = lookup(token, requested.length === 0 ? ownAudiences : requested) ?? {}
    const { audiences, error, user, warning } = found
    if (warning !== undefined) warn?.(warning)
    // What the caller sent of the status stays where the answer has no value of its own.
    const { authenticated: _, ...given } = fieldsOf(posted.status) ?? {}
    const status =
      user === undefined
        ? { ...given, user: given.user ?? {}, error: error === undefined ? INVALID : `[${INVALID}, ${error}]` }
        : { ...given, authenticated: true, user: userInfoOf(user), audiences }
    return Result.succeed(answer(posted, spec, status))
  }
})
