import type { KindName, KubeObject, Resource, Status } from "@rollcall/api"
import type * as Result from "effect/Result"
import type { AdmissionSubresource, UserInfo } from "./Admission.ts"

/** A create request whose object is answered but not stored, such as an access review or a token request. */
export interface VirtualCreate {
  readonly user: UserInfo
  readonly namespace: string
  /** The name of the parent object, for subresources. */
  readonly name: string
  readonly object: KubeObject
  readonly dryRun: boolean
  /** Adds a warning for the client. */
  readonly warn?: (text: string) => void
}

/**
 * A resource with only the verb create: a review such as TokenReview, or a subresource such as serviceaccounts/token.
 */
export interface VirtualResource {
  readonly resource: Resource
  /** `serviceaccounts` and `token` for serviceaccounts/token; its `resource` is the kind of the posted object. */
  readonly subresource?: { readonly parent: string; readonly name: string }
  /** Sets the defaults of a posted object, of which the client then is the owner. */
  readonly defaults?: (object: KubeObject) => KubeObject
  /**
   * Set for a subresource whose creates admission plugins see: the kind of its parent, what they see of an object, and what
   * validates and completes it between the mutating and the validating ones.
   */
  readonly admission?: {
    readonly kind: KindName
    readonly subresource: AdmissionSubresource
    readonly shown: (object: KubeObject) => KubeObject
    readonly prepare: (request: VirtualCreate) => Result.Result<KubeObject, Status>
  }
  /** Answers a create. Its object is the prepared one, where plugins have admitted it. */
  readonly create: (request: VirtualCreate) => Result.Result<KubeObject, Status>
}
