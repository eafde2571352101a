import type { KubeObject, Resource } from "@rollcall/api"
import type { RbacRequest } from "@rollcall/rbac"
import type { HandleError, TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { ChainPlugin, UserInfo } from "../admission/Admission.ts"
import type { VirtualResource } from "../admission/VirtualResource.ts"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import type { Registry } from "../registry/Registry.ts"
import type { KindTable } from "../registry/table.ts"
import type { ObjectObserver } from "../watch/KindCache.ts"

/** The credentials of a client. Header names are in lower case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Names and values of the headers, alternating, as received. */
  readonly rawHeaders?: ReadonlyArray<string>
  /** DER of the client's certificate, if TLS has verified it against the client CA. */
  readonly certificate: Uint8Array | undefined
  /** Warns the caller. */
  readonly warn?: ((text: string) => void) | undefined
  /** Called with the subprotocols of a WebSocket that are left when one of them authenticates the caller. */
  readonly setSubprotocols?: ((header: string) => void) | undefined
}

/**
 * The user; or "invalid" if the credential is invalid, which answers the request with 401; or undefined if the request
 * has no credential that this authenticator handles.
 */
export type Authentication = UserInfo | "invalid" | undefined

/** Authenticates requests. Plain and synchronous, because it runs before every request. */
export interface Authenticator {
  readonly authenticate: (credentials: Credentials) => Authentication
}

/** A request, as authorizers see it. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Attributes. */
export interface RequestAttributes extends RbacRequest {
  readonly user: UserInfo
  readonly version: string
  /** Also set from `metadata.name=` in a field selector of lists and watches. */
  readonly name: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** The result of an authorizer. Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Authorize. */
export interface Decision {
  /** With `NoOpinion` the next authorizer is asked; if none allows the request, it is refused. */
  readonly decision: "Allow" | "Deny" | "NoOpinion"
  /** Why, for the error message and for access reviews; may be empty. */
  readonly reason: string
  /** What went wrong, such as a missing role, although a decision was made. */
  readonly evaluationError?: string
}

/** Allows verbs on resources; `*` stands for all. Without `resourceNames` it allows them for all names. */
export interface ResourceRule {
  readonly verbs: ReadonlyArray<string>
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
}

/** Allows verbs on paths such as `/healthz`; a `*` at the end of a path stands for any text. */
export interface NonResourceRule {
  readonly verbs: ReadonlyArray<string>
  readonly nonResourceURLs: ReadonlyArray<string>
}

/** What a user may do in a namespace, as SelfSubjectRulesReview reports it. */
export interface UserRules {
  readonly resourceRules: ReadonlyArray<ResourceRule>
  readonly nonResourceRules: ReadonlyArray<NonResourceRule>
  /** Whether the user may be allowed more than the rules say. */
  readonly incomplete: boolean
  readonly evaluationError?: string
}

/** Authorizes requests. Plain and synchronous, based on the watch cache. */
export interface Authorizer {
  readonly authorize: (attributes: RequestAttributes) => Decision
  readonly rulesFor: (user: UserInfo, namespace: string) => UserRules
}

/**
 * Authorizers that an application adds, asked when the server's own have no opinion. Only servers with security use them.
 * `authorizerContract` of `@rollcall/api-server/testing` tests layers of this service.
 */
export class Authorizers extends Context.Service<Authorizers, ReadonlyArray<Authorizer>>()(
  "@rollcall/api-server/Authorizers"
) {
  static readonly layer = (...authorizers: ReadonlyArray<Authorizer>): Layer.Layer<Authorizers> =>
    Layer.succeed(Authorizers, authorizers)
}

/** What verifies the tokens of service accounts, for those who trust them. */
export interface TokenIssuer {
  readonly issuer: string
  /** The public keys as JSON Web Keys. */
  readonly keys: ReadonlyArray<object>
  readonly algorithms: ReadonlyArray<string>
}

/** Authentication, authorization, admission and reviews of a server. */
export interface Security {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Whether a request without credentials is from the user `system:anonymous`; if false, it is refused. */
  readonly anonymous: boolean
  /** The resources of reviews and tokens. */
  readonly virtual: ReadonlyArray<VirtualResource>
  /** The admission plugins in chain order. */
  readonly admission: ReadonlyArray<ChainPlugin>
  /** The issuer of service account tokens; absent if there is none. */
  readonly issuer?: TokenIssuer
}

/**
 * Makes the security of a server that other processes reach, over its objects, when it starts. The server itself knows
 * only this interface, so that an embedded server loads no cryptography.
 */
export interface SecurityPlan {
  /** The objects that it requires in every cluster, such as roles; missing ones are created when the server starts. */
  readonly objects: ReadonlyArray<KubeObject>
  /** Returns the table with the kinds whose validation needs cryptography. */
  readonly define?: (table: KindTable) => KindTable
  /** Makes the security over the server's objects. `authorizers` are asked after its own. */
  readonly make: (source: SecuritySource, authorizers?: ReadonlyArray<Authorizer>) => Security
}

/**
 * The view of the cluster that authentication and authorization use: the newest state of the server's caches, without
 * copying.
 */
export interface SecuritySource {
  /**
   * Returns an object, or undefined if it does not exist or its kind is not served. The namespace is "" for
   * cluster-scoped kinds.
   */
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined
  /** Returns the objects of a namespace, or of all if it is omitted, in key order. */
  readonly list: (kind: string, namespace?: string) => ReadonlyArray<KubeObject>
  /** Returns the resource whose objects are of this kind and version, or undefined if none is served. Default: none is. */
  readonly findResource?: (apiVersion: string, kind: string) => Resource | undefined
  /** Calls `observer` for every change of a kind's objects, before the change is visible elsewhere. */
  readonly observe: (kind: string, observer: ObjectObserver) => void
  /** Adds labels to an object soon, as the server itself; the object may be gone by then. */
  readonly label: (kind: string, namespace: string, name: string, labels: Readonly<Record<string, string>>) => void
  /** Returns the time in milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Runs the callback `delayMs` from now. */
  readonly after: TimersShape["after"]
  /** Reports an error that one object causes. The object is then skipped, and all others are still used. */
  readonly handleError: HandleError
  /** What counts and measures the work of the server, if anything does. */
  readonly metrics?: ServerMetrics
}

/** Returns the view of a registry for authentication and authorization. */
export const sourceOf = (
  registry: Registry,
  timers: TimersShape,
  label: SecuritySource["label"],
  metrics?: ServerMetrics
): SecuritySource => ({
  ...(metrics === undefined ? {} : { metrics }),
  label,
  get: (kind, namespace, name) => registry.kind(kind)?.cache.get(namespace, name)?.object,
  list: (kind, namespace) => {
    const found: Array<KubeObject> = []
    registry.kind(kind)?.cache.visit(namespace, (object) => found.push(object))
    return found
  },
  findResource: (apiVersion, kind) => {
    for (const { definition } of registry.states()) {
      const { hidden, resource } = definition
      if (hidden !== true && resource.kind === kind && definition.apiVersion === apiVersion) return resource
    }
    return undefined
  },
  observe: (kind, observer) => registry.kind(kind)?.cache.observe(observer),
  now: timers.now,
  after: timers.after,
  handleError: timers.handleError
})
