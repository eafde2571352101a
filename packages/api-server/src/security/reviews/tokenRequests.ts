import {
  badRequest,
  conflict,
  formatTime,
  groupResourceOf,
  invalid,
  type KubeObject,
  type Node,
  notFound,
  type ObjectMeta,
  type Pod,
  resourceOf,
  type ServiceAccount,
  type Status
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { VirtualCreate, VirtualResource } from "../../core/admission/VirtualResource.ts"
import type { Authorizer, SecuritySource } from "../../core/ports/Security.ts"
import { nodeTokenRefusal } from "../admission/nodeTokens.ts"
import { type Bound, claimsFor } from "../authentication/claims.ts"
import { type SigningKey, signJwt } from "../authentication/jwt.ts"
import { authenticationGroup, fault, fieldsOf, type Posted, reviewResource, textOf, textsOf } from "./review.ts"

const DEFAULT_SECONDS = 3600
const MIN_SECONDS = 600
const MAX_SECONDS = 2 ** 32
/**
 * The lifetime of tokens that the ServiceAccount admission plugin mounts. A token with this lifetime is valid for
 * `EXTENDED_SECONDS`, for clients that do not read it again, and its use after the hour is reported. Upstream:
 * `--service-account-extend-token-expiration`.
 */
const MOUNTED_SECONDS = 3607
/** One year. */
const EXTENDED_SECONDS = 31_536_000

/** Who issues tokens, and for which audiences. */
export interface TokenIssuer {
  /** The `iss` of tokens. */
  readonly issuer: string
  readonly key: SigningKey
  /** The audiences of this server, for a token without audiences. */
  readonly audiences: ReadonlyArray<string>
}

/** The object to which a token is to be bound, as requested. */
export interface BoundObjectRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** Upstream: pkg/apis/authentication/v1/defaults.go. */
const withDefaults = (object: KubeObject): KubeObject => {
  const posted: Posted = object
  const spec = fieldsOf(posted.spec) ?? {}
  const { expirationSeconds = DEFAULT_SECONDS } = spec
  return { ...object, spec: { ...spec, expirationSeconds } } as KubeObject
}

/** Returns a request with the status that Go writes before there is a token. */
const withNoToken = (object: KubeObject): KubeObject =>
  ({ ...object, status: { token: "", expirationTimestamp: null } }) as KubeObject

/**
 * POST of serviceaccounts/token: issues a token for an account, bound to a pod, a secret or a node. Upstream:
 * pkg/registry/core/serviceaccount/storage/token.go.
 */
export const tokenRequests = (
  { audiences: ownAudiences, issuer, key }: TokenIssuer,
  source: SecuritySource,
  authorizer: Authorizer
): VirtualResource => ({
  resource: reviewResource("TokenRequest", authenticationGroup, true),
  subresource: { parent: "serviceaccounts", name: "token" },
  admission: {
    kind: "ServiceAccount",
    subresource: "token",
    prepare: (request) => {
      const complete = completed(request, ownAudiences, source)
      if (Result.isFailure(complete)) return Result.fail(complete.failure)
      const { audiences, expirationSeconds, given, object, ref } = complete.success
      const { name, namespace, user } = request
      const refusal = nodeTokenRefusal(user, { namespace, name, ref, audiences: given }, source, authorizer)
      if (refusal !== undefined) return Result.fail(refusal)
      const boundObjectRef = ref === undefined ? {} : { boundObjectRef: shownRef(ref) }
      const spec = { audiences, expirationSeconds, ...boundObjectRef }
      return Result.succeed(withNoToken({ ...object, spec } as KubeObject))
    },
    shown: withNoToken
  },
  defaults: withDefaults,
  create: (request) => {
    const complete = completed(request, ownAudiences, source)
    if (Result.isFailure(complete)) return Result.fail(complete.failure)
    const { account, audiences, expirationSeconds, object, ref } = complete.success
    const bound = boundObjects(ref, request, source)
    if (Result.isFailure(bound)) return Result.fail(bound.failure)
    const isExtended =
      expirationSeconds === MOUNTED_SECONDS &&
      bound.success.pod !== undefined &&
      audiences.every((audience) => ownAudiences.includes(audience))
    const claims = claimsFor({
      issuer,
      account,
      bound: bound.success,
      audiences,
      nowMs: source.now(),
      expirationSeconds: isExtended ? EXTENDED_SECONDS : expirationSeconds,
      ...(isExtended ? { warnAfterSeconds: expirationSeconds } : {})
    })
    return Result.succeed({
      ...object,
      spec: { audiences, expirationSeconds, boundObjectRef: ref === undefined ? null : shownRef(ref) },
      status: { token: signJwt(key, claims), expirationTimestamp: formatTime((claims.iat + expirationSeconds) * 1000) }
    } as KubeObject)
  }
})

/** A valid request with what it leaves open: `object` has its kind and metadata. */
interface Completed {
  readonly object: KubeObject
  readonly account: ServiceAccount
  /** The audiences that it names, and those of its token. */
  readonly given: ReadonlyArray<string>
  readonly audiences: ReadonlyArray<string>
  readonly expirationSeconds: number
  readonly ref: BoundObjectRef | undefined
}

const completed = (
  request: VirtualCreate,
  ownAudiences: ReadonlyArray<string>,
  source: SecuritySource
): Result.Result<Completed, Status> => {
  const { name, namespace } = request
  const posted: Posted = request.object
  const metadata = request.object.metadata ?? {}
  const otherAccount = addressRefusal(metadata, namespace, name)
  if (otherAccount !== undefined) return Result.fail(otherAccount)
  const account = source.get("ServiceAccount", namespace, name) as ServiceAccount | undefined
  if (account === undefined) return Result.fail(notFound(groupResourceOf(resourceOf("ServiceAccount")), name))
  const otherUid = uidRefusal(metadata, account)
  if (otherUid !== undefined) return Result.fail(otherUid)
  const spec = fieldsOf(posted.spec) ?? {}
  const given = textsOf(spec.audiences)
  const expirationSeconds = Number(spec.expirationSeconds ?? DEFAULT_SECONDS)
  const ref = refOf(spec.boundObjectRef)
  const refusal = secondsRefusal(expirationSeconds)
  if (refusal !== undefined) return Result.fail(refusal)
  const { uid } = account.metadata
  const complete = { ...metadata, name, namespace, uid, creationTimestamp: formatTime(source.now()) }
  return Result.succeed({
    object: { apiVersion: posted.apiVersion, kind: posted.kind, metadata: complete } as KubeObject,
    account,
    given,
    audiences: given.length === 0 ? ownAudiences : given,
    expirationSeconds,
    ref
  })
}

/** Returns why the request names another account than its path. */
const addressRefusal = (given: ObjectMeta, namespace: string, name: string): Status | undefined => {
  const refuse = (field: "name" | "namespace") =>
    invalid({ group: authenticationGroup, kind: "TokenRequest" }, name, [
      fault(`metadata.${field}`, given[field], `must match the service account ${field} if specified`)
    ])
  if (given.name && given.name !== name) return refuse("name")
  return given.namespace && given.namespace !== namespace ? refuse("namespace") : undefined
}

/** Returns why the request is for an earlier account of this name. */
const uidRefusal = ({ uid }: ObjectMeta, { metadata }: ServiceAccount): Status | undefined => {
  if (!uid || uid === metadata.uid) return undefined
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${metadata.uid})`
  return conflict({ group: authenticationGroup, resource: "TokenRequest" }, metadata.name ?? "", why)
}

const refOf = (value: unknown): BoundObjectRef | undefined => {
  const ref = fieldsOf(value)
  if (ref === undefined) return undefined
  return { kind: textOf(ref.kind), apiVersion: textOf(ref.apiVersion), name: textOf(ref.name), uid: textOf(ref.uid) }
}

/** Go omits empty texts. */
const shownRef = (ref: BoundObjectRef) => Object.fromEntries(Object.entries(ref).filter(([, text]) => text !== ""))

/** Returns why the requested lifetime is invalid. Upstream: pkg/apis/authentication/validation/validation.go. */
const secondsRefusal = (seconds: number): Status | undefined => {
  const detail =
    seconds < MIN_SECONDS
      ? "may not specify a duration less than 10 minutes"
      : seconds > MAX_SECONDS
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined
  if (detail === undefined) return undefined
  return invalid({ group: authenticationGroup, kind: "TokenRequest" }, "", [
    fault("spec.expirationSeconds", seconds, detail)
  ])
}

type BoundResult = Result.Result<Bound, Status>

/** Returns the objects that the token is bound to, and the node of a pod; or why it cannot be bound to them. */
const boundObjects = (
  ref: BoundObjectRef | undefined,
  { name, namespace }: VirtualCreate,
  source: SecuritySource
): BoundResult => {
  if (ref === undefined) return Result.succeed({})
  const { apiVersion, kind } = ref
  const parts = apiVersion.split("/")
  const [group = "", version = ""] = parts.length === 1 ? ["", ...parts] : parts.length === 2 ? parts : []
  // Any version of the group is that of the object.
  if (group !== "" || !(kind === "Pod" || kind === "Secret" || kind === "Node")) {
    return Result.fail(badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`))
  }
  if (ref.name === "") return Result.fail(badRequest("Name parameter required."))
  const object = source.get(kind, kind === "Node" ? "" : namespace, ref.name)
  if (object === undefined) return Result.fail(notFound(groupResourceOf(resourceOf(kind)), ref.name))
  if (kind === "Pod") {
    const runsAs = (object as Pod).spec.serviceAccountName ?? ""
    if (runsAs !== name) {
      const what = `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`
      return Result.fail(badRequest(what))
    }
  }
  if (ref.uid !== "" && ref.uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`
    return Result.fail(conflict({ group: "", resource: kind }, ref.name, why))
  }
  if (kind === "Secret") return Result.succeed({ secret: object })
  if (kind === "Node") return Result.succeed({ node: object as Node })
  const pod = object as Pod
  const node = pod.spec.nodeName ? source.get("Node", "", pod.spec.nodeName) : undefined
  return Result.succeed(node === undefined ? { pod } : { pod, node: node as Node })
}
