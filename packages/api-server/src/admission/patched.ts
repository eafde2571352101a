import type { KubeObject, Status } from "@rollcall/api"
import { decodeValue, type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import type { AdmissionAttributes } from "../core/admission/Admission.ts"
import type { KindDefinition } from "../core/registry/KindDefinition.ts"
import { fromVersion, kindIn, type Subject } from "./Subject.ts"

/** Returns the wire type of the objects of a request in the version of a definition. */
export const messageOf = (subject: Subject, matched: KindDefinition): MessageType | undefined =>
  wireTypeOfGvk(kindIn(subject, matched)) ?? matched.message

/** A changed object as the pipeline goes on with it, or why it cannot. */
export type Patched = Result.Result<KubeObject, { readonly fault: string } | { readonly status: Status }>

/** Decodes a changed document as Go does, and returns it in the version of the request. `strict` refuses unknown fields. */
export const patchedObject = (
  document: unknown,
  attributes: AdmissionAttributes,
  subject: Subject,
  matched: KindDefinition,
  strict: boolean
): Patched => {
  const message = messageOf(subject, matched)
  const decoded = message && decodeValue(message, document, { structural: message === matched.message })
  if (decoded !== undefined && Result.isFailure(decoded)) return Result.fail({ fault: decoded.failure })
  const faults = decoded?.success.strictErrors ?? []
  if (strict && faults.length > 0) return Result.fail({ fault: `strict decoding error: ${faults.join(", ")}` })
  const value = (decoded === undefined ? document : decoded.success.value) as KubeObject
  return Result.mapError(fromVersion(value, attributes, subject, matched), (status) => ({ status }))
}
