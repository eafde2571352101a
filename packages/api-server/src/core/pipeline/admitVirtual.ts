import { genericResponse, type KindName, type KubeObject, type Status } from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionSubresource, UserInfo } from "../admission/Admission.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { namespaceRefusal } from "./namespaces.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A create of an object that is answered and not stored, at a subresource of a stored one. */
export interface VirtualWrite {
  readonly kind: KindName
  readonly subresource: AdmissionSubresource
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
  readonly dryRun: boolean
  readonly fieldManager?: string | undefined
  readonly warn: (text: string) => void
  /** Validates the object that the mutating plugins leave, and completes it for the validating ones. */
  readonly prepare: (object: KubeObject) => Result.Result<KubeObject, Status>
}

/** Admits the object of such a create; returns it as the validating plugins saw it, or the refusal. */
export const admitVirtual = (core: ServerCore) =>
  function* (userInfo: UserInfo, write: VirtualWrite): Steps<Result.Result<KubeObject, Status>> {
    const { dryRun, fieldManager, kind, name, namespace, object, prepare, subresource, warn } = write
    const state = core.registry.kind(kind)
    if (state === undefined) return Result.fail(genericResponse(404))
    const missing = namespaceRefusal(core, { state, namespace, name, subresource: undefined, dryRun })
    if (missing !== undefined) return Result.fail(missing)
    const chain = core.admission.get(kind, "create", subresource)
    if (chain === undefined) return prepare(object)
    const manager = fieldManager === undefined ? {} : { fieldManager }
    const request: CreateRequest = { verb: "create", kind, namespace, name, object, dryRun, ...manager }
    const exchange = { request, isAnswered: false, warn, annotate: () => undefined }
    const attributes = attributesOf(
      userInfo,
      { state, namespace, name, subresource, dryRun },
      "create",
      object,
      undefined,
      exchange
    )
    const mutating = chain.mutate(attributes)
    const mutated = isSteps(mutating) ? yield* mutating : mutating
    if (Result.isFailure(mutated)) return Result.fail(mutated.failure)
    const prepared = prepare(mutated.success ?? object)
    if (Result.isFailure(prepared)) return prepared
    const refusing = chain.validate({ ...attributes, object: prepared.success })
    const refusal = isSteps(refusing) ? yield* refusing : refusing
    return refusal === undefined ? prepared : Result.fail(refusal)
  }
