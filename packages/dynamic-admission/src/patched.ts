import { internalError, type KubeObject, type Status, unknownError } from "@rollcall/api"
import { conversionError, groupVersion, interpretKind, notRegistered, registeredType } from "@rollcall/api/scheme"
import { decodeValue, type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes } from "./attributes.ts"
import type { AdmissionKind } from "./ports.ts"
import { convertInSteps, fromVersion, kindIn, needsCall, type Subject } from "./Subject.ts"
import { markUnknownFields } from "./unknownFields.ts"

/** Returns the wire type of the objects of a request in the version of a definition. */
export const messageOf = (subject: Subject, matched: AdmissionKind): MessageType | undefined =>
  wireTypeOfGvk(kindIn(subject, matched)) ?? matched.message

/** A changed object as the pipeline goes on with it, or why it cannot. */
export type Patched = Result.Result<KubeObject, { readonly fault: string } | { readonly status: Status }>

/** Does the work of `patchedObject`, where the version of the request may take a call. */
export const patchedInSteps = function* (
  document: unknown,
  attributes: AdmissionAttributes,
  subject: Subject,
  matched: AdmissionKind
): Steps<Patched> {
  const { definition } = subject
  if (!needsCall(subject, matched)) return patchedObject(document, attributes, subject, matched, false)
  const decoded = decodedIn(document, subject, matched, false)
  if (Result.isFailure(decoded)) return decoded
  const own = yield* convertInSteps(definition, decoded.success, definition.apiVersion)
  if (Result.isFailure(own)) return Result.fail({ status: own.failure })
  return Result.succeed(definition.defaults(own.success ?? decoded.success))
}

/**
 * Decodes a changed document as Go does, and returns it in the version of the request. `strict` refuses unknown fields, except those of a
 * custom resource: these stay until it is stored.
 */
export const patchedObject = (
  document: unknown,
  attributes: AdmissionAttributes,
  subject: Subject,
  matched: AdmissionKind,
  strict: boolean
): Patched => {
  const decoded = decodedIn(document, subject, matched, strict)
  if (Result.isFailure(decoded)) return decoded
  return Result.mapError(fromVersion(decoded.success, attributes, subject, matched), (status) => ({ status }))
}

/** Decodes a changed document by its type; a custom resource may be of any kind. */
const decodedIn = (document: unknown, subject: Subject, matched: AdmissionKind, strict: boolean): Patched => {
  const message = messageOf(subject, matched)
  if (message === undefined) return Result.succeed(document as KubeObject)
  if (message === matched.message) return decodedCustom(message, document)
  const expected = kindIn(subject, matched)
  const kind = interpretKind(document, expected)
  if (Result.isFailure(kind)) return Result.fail({ fault: kind.failure })
  const type = registeredType(kind.success)
  if (type === undefined) return Result.fail({ fault: notRegistered(kind.success, expected) })
  const decoded = decodedAs(type, document, strict)
  if (Result.isFailure(decoded)) return decoded
  const conversion = conversionError(kind.success, expected)
  if (conversion !== undefined) {
    const status = strict ? internalError(`failed to convert object: ${conversion}`) : unknownError(conversion)
    return Result.fail({ status })
  }
  return Result.succeed({ ...decoded.success, kind: expected.kind, apiVersion: groupVersion(expected) })
}

/** Decodes a custom resource; without metadata, it has no name. */
const decodedCustom = (message: MessageType, document: unknown): Patched => {
  const decoded = decodeValue(message, document, { structural: true })
  if (Result.isFailure(decoded)) return Result.fail({ fault: decoded.failure })
  const { unknownFields, value } = decoded.success
  const object = { metadata: {}, ...(value as Partial<KubeObject>) } as KubeObject
  return Result.succeed(markUnknownFields(object, document, unknownFields))
}

const decodedAs = (message: MessageType, document: unknown, strict: boolean): Patched => {
  const decoded = decodeValue(message, document, {})
  if (Result.isFailure(decoded)) return Result.fail({ fault: decoded.failure })
  const faults = decoded.success.strictErrors
  if (strict && faults.length > 0) return Result.fail({ fault: `strict decoding error: ${faults.join(", ")}` })
  return Result.succeed(decoded.success.value as KubeObject)
}
