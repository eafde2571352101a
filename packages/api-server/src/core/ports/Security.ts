import type { KubeObject, Resource, Status } from "@rollcall/api"
import type { HandleError, TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type { AdmissionPlugin, UserInfo } from "../admission/Admission.ts"
import type { Registry } from "../registry/Registry.ts"
import type { ObjectObserver } from "../watch/KindCache.ts"

/** The credentials of a client. Header names are in lower case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** DER of the client's certificate, if TLS has verified it against the client CA. */
  readonly certificate: Uint8Array | undefined
}

/** `undefined`: no credential that this authenticator handles; `invalid`: an invalid credential (401). */
export type Authentication = UserInfo | "invalid" | undefined

/** Authenticates requests. Plain and synchronous, because it runs before every request. */
export interface Authenticator {
  readonly authenticate: (credentials: Credentials) => Authentication
}

/** A request, as authorizers see it. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Attributes. */
export interface RequestAttributes {
  readonly user: UserInfo
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; for non-resource requests the method in lower
   * case.
   */
  readonly verb: string
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  /** Also set from `metadata.name=` in a field selector of lists and watches. */
  readonly name: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface Decision {
  readonly decision: "Allow" | "Deny" | "NoOpinion"
  readonly reason: string
  readonly evaluationError?: string
}

export interface ResourceRule {
  readonly verbs: ReadonlyArray<string>
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
}

export interface NonResourceRule {
  readonly verbs: ReadonlyArray<string>
  readonly nonResourceURLs: ReadonlyArray<string>
}

export interface UserRules {
  readonly resourceRules: ReadonlyArray<ResourceRule>
  readonly nonResourceRules: ReadonlyArray<NonResourceRule>
  readonly incomplete: boolean
  readonly evaluationError?: string
}

/** Authorizes requests. Plain and synchronous, based on the watch cache. */
export interface Authorizer {
  readonly authorize: (attributes: RequestAttributes) => Decision
  readonly rulesFor: (user: UserInfo, namespace: string) => UserRules
}

/**
 * A user's authorizers, consulted when the server's own have no opinion. Only servers with security use them.
 * `authorizerContract` of `@rollcall/api-server/testing` tests layers of this service.
 */
export class Authorizers extends Context.Service<Authorizers, ReadonlyArray<Authorizer>>()(
  "@rollcall/api-server/Authorizers"
) {
  static readonly layer = (...authorizers: ReadonlyArray<Authorizer>): Layer.Layer<Authorizers> =>
    Layer.succeed(Authorizers, authorizers)
}

/** A create of an object that is answered but not stored: reviews, tokens. */
export interface VirtualCreate {
  readonly user: UserInfo
  readonly namespace: string
  /** The name of the parent object, for subresources. */
  readonly name: string
  readonly object: KubeObject
  readonly dryRun: boolean
}

/**
 * A resource with only the verb create: SelfSubjectAccessReview, TokenReview, … or a subresource (`parent`) such as
 * serviceaccounts/token.
 */
export interface VirtualResource {
  readonly resource: Resource
  /** `serviceaccounts` and `token` for serviceaccounts/token; its `resource` is the kind of the posted object. */
  readonly subresource?: { readonly parent: string; readonly name: string }
  readonly create: (request: VirtualCreate) => Result.Result<KubeObject, Status>
}

/** Authentication, authorization, admission and reviews of a server. */
export interface Security {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Whether a request without credentials is from `system:anonymous`, or refused. */
  readonly anonymous: boolean
  /** Reviews and tokens. */
  readonly virtual: ReadonlyArray<VirtualResource>
  /** In chain order. */
  readonly admission: ReadonlyArray<AdmissionPlugin>
}

/**
 * Makes the security of a server that other processes reach, over its objects, when it starts. The server itself knows
 * only this interface, so that an embedded server loads no cryptography.
 */
export interface SecurityPlan {
  /** Objects that it requires in every cluster. */
  readonly objects: ReadonlyArray<KubeObject>
  /** `authorizers`: the user's, consulted after its own. */
  readonly make: (source: SecuritySource, authorizers?: ReadonlyArray<Authorizer>) => Security
}

/**
 * The view of the cluster that authentication and authorization use: the newest state of the server's caches, without
 * copying.
 */
export interface SecuritySource {
  /** The namespace is "" for cluster-scoped kinds; returns undefined for a kind that is not served. */
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined
  /** In key order; without a namespace: all namespaces. */
  readonly list: (kind: string, namespace?: string) => ReadonlyArray<KubeObject>
  /** Calls `observer` for every change of a kind's objects, before the change is visible elsewhere. */
  readonly observe: (kind: string, observer: ObjectObserver) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Handles an error caused by one object: that object is skipped, and all others count. */
  readonly handleError: HandleError
}

export const sourceOf = (registry: Registry, timers: TimersShape): SecuritySource => ({
  get: (kind, namespace, name) => registry.kind(kind)?.cache.get(namespace, name)?.object,
  list: (kind, namespace) => {
    const found: Array<KubeObject> = []
    registry.kind(kind)?.cache.visit(namespace, (object) => found.push(object))
    return found
  },
  observe: (kind, observer) => registry.kind(kind)?.cache.observe(observer),
  now: timers.now,
  handleError: timers.handleError
})
