import { isKindName, type KindName, type KubeObject, kindOf, type Resource } from "@rollcall/api"
import type { AnyKind, ApiRequest, Subresource } from "@rollcall/cluster"

/** The operations of admission. A patch is admitted as an update; a binding is a create of pods/binding. */
export type AdmissionVerb = "create" | "update" | "delete" | "connect"

/** The subresources that connect a client to something, instead of reading or writing an object. */
export type ConnectedSubresource = "attach" | "exec" | "portforward" | "proxy"

/** The subresources that plugins see; `token` is that of service accounts. */
export type AdmissionSubresource = Subresource | ConnectedSubresource | "token"

/** The user of a request. */
export interface UserInfo {
  readonly user: string
  readonly groups: ReadonlyArray<string>
  readonly uid?: string
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The request of a write, the warnings for its client, and the notes for its audit. */
export interface AdmissionExchange {
  readonly request: ApiRequest
  /** Whether the client has its answer: then the write is stored, or it will not be. */
  readonly isAnswered: boolean
  warn(text: string): void
  /** Annotates the audit of the request. The first value of a key stays. */
  annotate(key: string, value: string): void
}

/**
 * A write on its way to the store. Mutating plugins receive `object` as the caller sent it, before the server sets the
 * fields that it controls (metadata, and spec or status, whichever is not written); validating plugins receive it as it
 * would be stored. It is undefined on delete. `oldObject` is the stored object, undefined on create. Neither may be
 * modified in place. On connect `object` is the options of the connection, which have no metadata, there is no `oldObject`,
 * and the request of the exchange is a get.
 */
export interface AdmissionAttributes {
  readonly verb: AdmissionVerb
  readonly kind: AnyKind
  /** The resource, as errors name it. */
  readonly resource: Resource
  readonly subresource: AdmissionSubresource | undefined
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  /** Empty in mutating plugins if the server still has to generate it, and where a collection is deleted. */
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly userInfo: UserInfo
  readonly dryRun: boolean
  /** Undefined if the server itself makes the write. */
  readonly exchange?: AdmissionExchange | undefined
}

/**
 * What the mutating plugins of one request share: if one of them changes the object after others have seen it, all run once
 * more. Upstream: apiserver/pkg/admission/reinvocation.go.
 */
export interface Reinvocation {
  /** Whether this is the second round. */
  readonly isReinvoke: boolean
  shouldReinvoke: boolean
  /** What plugins remember, by their names. */
  readonly states: Map<string, unknown>
}

const resourceOf = ({ apiVersion, kind }: KubeObject): Resource => {
  const resource = isKindName(kind) ? kindOf(kind).resource : undefined
  if (resource === undefined) throw new Error(`${apiVersion} ${kind} is no kind of the API`)
  return resource
}

/** Returns what admission sees of a user who creates an object. */
export const creationOf = (object: KubeObject, userInfo: UserInfo): AdmissionAttributes => {
  const { name = "", namespace = "" } = object.metadata
  const resource = resourceOf(object)
  return {
    verb: "create",
    kind: resource.kind as KindName,
    resource,
    subresource: undefined,
    namespace,
    name,
    object,
    oldObject: undefined,
    userInfo,
    dryRun: false
  }
}
