import type { Status } from "@rollcall/api"
import { type Fields, isFields } from "@rollcall/api/values"
import { withNulls, withNullsAsSent } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { requestValue } from "../cel/request.ts"
import type { AdmissionKind } from "../ports.ts"
import { inVersion, type Subject } from "../Subject.ts"

const versions = ["v1", "v1beta1"]

/** Returns the first version of AdmissionReview that a webhook accepts and the server knows. */
export const reviewVersionOf = (accepted: ReadonlyArray<string>): string | undefined =>
  accepted.find((version) => versions.includes(version))

/** Returns the AdmissionReview for a webhook. Upstream: plugin/webhook/request/admissionreview.go. */
export const reviewOf = (version: string, uid: string, subject: Subject, matched: AdmissionKind): object => {
  const { object, oldObject } = inVersion(subject, matched)
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      ...requestValue(subject, matched),
      uid,
      object: withNullsAsSent(object) ?? null,
      oldObject: withNulls(oldObject) ?? null
    }
  }
}

/** What a webhook answered. */
export interface ReviewResponse {
  readonly allowed: boolean
  readonly result: Status | undefined
  /** The operations of a JSON patch, as text. */
  readonly patch: string | undefined
  readonly patchType: string
  readonly warnings: ReadonlyArray<string>
  readonly auditAnnotations: ReadonlyArray<readonly [key: string, value: string]>
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const gvkText = ({ apiVersion, kind }: Fields): string => {
  const [group = "", version = ""] = textOf(apiVersion).includes("/")
    ? textOf(apiVersion).split("/")
    : ["", textOf(apiVersion)]
  return `${group}/${version}, Kind=${textOf(kind)}`
}

/** Checks the patch that a response has or may not have; returns what is wrong. */
const patchFault = (patch: string, patchType: unknown, mutating: boolean): string | undefined => {
  const typed = patchType !== undefined && patchType !== null
  if (!mutating) {
    if (patch !== "") return "validating webhook may not return response.patch"
    return typed ? "validating webhook may not return response.patchType" : undefined
  }
  if (patch !== "" && !typed) return "webhook returned response.patch but not response.patchType"
  if (patch === "" && typed) return "webhook returned response.patchType but not response.patch"
  return typed && patchType === "" ? 'webhook returned invalid response.patchType of ""' : undefined
}

/** Checks and reads the answer of a webhook. Upstream: VerifyAdmissionResponse. */
export const readResponse = (
  review: Fields,
  version: string,
  uid: string,
  mutating: boolean
): Result.Result<ReviewResponse, string> => {
  const { response } = review
  if (!isFields(response)) return Result.fail("webhook response was absent")
  const patch = textOf(response.patch)
  if (version === "v1") {
    if (response.uid !== uid) {
      return Result.fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response.uid))}`)
    }
    const expected = "admission.k8s.io/v1, Kind=AdmissionReview"
    if (gvkText(review) !== expected) {
      return Result.fail(`expected webhook response of ${expected}, got ${gvkText(review)}`)
    }
    const fault = patchFault(patch, response.patchType, mutating)
    if (fault !== undefined) return Result.fail(fault)
  }
  return Result.succeed({
    allowed: response.allowed === true,
    result: isFields(response.status) ? (response.status as Fields as unknown as Status) : undefined,
    patch: mutating && patch !== "" ? Buffer.from(patch, "base64").toString() : undefined,
    patchType: version === "v1" ? textOf(response.patchType) : "JSONPatch",
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    auditAnnotations: isFields(response.auditAnnotations)
      ? Object.entries(response.auditAnnotations).map(([key, value]) => [key, textOf(value)])
      : []
  })
}

/** Returns the Status of a denial. Upstream: plugin/webhook/errors/statuserror.go, ToStatusErr. */
export const denialOf = (name: string, result: Status | undefined): Status => {
  const { code = 0, message = "", reason = "", status, ...rest } = result ?? ({} as Partial<Status>)
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const why = message || reason
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    ...rest,
    status: status === undefined || status === "Success" ? "Failure" : status,
    message: why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(reason === "" ? {} : { reason }),
    code: Math.max(code, 400)
  } as Status
}
