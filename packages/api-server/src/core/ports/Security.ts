import type { KubeObject, Resource, Status } from "@rollcall/api"
import type { HandleError, TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type { AdmissionPlugin, UserInfo } from "../admission/Admission.ts"
import type { Registry } from "../registry/Registry.ts"
import type { ObjectObserver } from "../watch/KindCache.ts"

/** What a client showed of itself. Header names are in lower case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** DER of the client's certificate, if TLS has verified it against the client CA. */
  readonly certificate: Uint8Array | undefined
}

/** `undefined`: nothing that this authenticator knows; `invalid`: something that it knows to be wrong (401). */
export type Authentication = UserInfo | "invalid" | undefined

/** Who is asking. Plain and synchronous: it stands before every request. */
export interface Authenticator {
  readonly authenticate: (credentials: Credentials) => Authentication
}

/** What is asked for, as authorizers see it. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Attributes. */
export interface RequestAttributes {
  readonly user: UserInfo
  /** get, list, watch, create, update, patch, delete, deletecollection; of non-resource requests the method in lower case. */
  readonly verb: string
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  /** Also set from `metadata.name=` of a field selector on lists and watches. */
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

/** May they? Plain and synchronous, over what the watch cache holds. */
export interface Authorizer {
  readonly authorize: (attributes: RequestAttributes) => Decision
  readonly rulesFor: (user: UserInfo, namespace: string) => UserRules
}

/**
 * Authorizers of one's own, asked after the server's where those have no opinion. Read by servers that have security. Layers of it are
 * proved by `authorizerContract` of `@rollcall/api-server/testing`.
 */
export class Authorizers extends Context.Service<Authorizers, ReadonlyArray<Authorizer>>()(
  "@rollcall/api-server/Authorizers"
) {
  static readonly layer = (...authorizers: ReadonlyArray<Authorizer>): Layer.Layer<Authorizers> =>
    Layer.succeed(Authorizers, authorizers)
}

/** A create on something that is answered and not stored: reviews, tokens. */
export interface VirtualCreate {
  readonly user: UserInfo
  readonly namespace: string
  /** Of the parent object, for subresources. */
  readonly name: string
  readonly object: KubeObject
  readonly dryRun: boolean
}

/** A resource with the one verb create: SelfSubjectAccessReview, TokenReview, … or a subresource (`parent`) like serviceaccounts/token. */
export interface VirtualResource {
  readonly resource: Resource
  /** `serviceaccounts` and `token` for serviceaccounts/token; its `resource` names the kind that is posted. */
  readonly subresource?: { readonly parent: string; readonly name: string }
  readonly create: (request: VirtualCreate) => Result.Result<KubeObject, Status>
}

/** All that stands between a request and the objects. */
export interface Security {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Whether a request without credentials is one of `system:anonymous`, or refused. */
  readonly anonymous: boolean
  /** Reviews and tokens. */
  readonly virtual: ReadonlyArray<VirtualResource>
  /** In the order of the chain. */
  readonly admission: ReadonlyArray<AdmissionPlugin>
}

/**
 * What a server is given that others reach: made over its objects when it starts. The server itself knows only this shape, so
 * that whoever embeds it in process carries no cryptography.
 */
export interface SecurityPlan {
  /** Objects that it asks for in every cluster. */
  readonly objects: ReadonlyArray<KubeObject>
  /** `authorizers`: those of the world, asked after its own. */
  readonly make: (source: SecuritySource, authorizers?: ReadonlyArray<Authorizer>) => Security
}

/** What authentication and authorization know of the cluster: the newest state of the server's caches, without copying. */
export interface SecuritySource {
  /** The namespace is "" for cluster-scoped kinds; of a kind that is not served there is nothing. */
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined
  /** In key order; absent namespace: all. */
  readonly list: (kind: string, namespace?: string) => ReadonlyArray<KubeObject>
  /** Tells of every change to objects of a kind, before anybody else can see it. */
  readonly observe: (kind: string, observer: ObjectObserver) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Takes what one object throws: it counts for nothing, and all others count. */
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
