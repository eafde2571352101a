import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  forbidden,
  formatTime,
  groupResourceOf,
  type Status
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"
import { CertificateRequestFault, readCertificateRequest } from "@rollcall/pki"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin, UserInfo } from "../../core/admission/Admission.ts"
import type { Authorizer } from "../../core/ports/Security.ts"

const KIND = "CertificateSigningRequest"

/** Whether the user may approve or sign for this signer, or for all of its domain. Upstream: pkg/certauthorization. */
const mayUse = (authorizer: Authorizer, user: UserInfo, verb: "approve" | "sign", signer: string): boolean =>
  [signer, `${signer.slice(0, signer.indexOf("/"))}/*`].some(
    (name) =>
      authorizer.authorize({
        user,
        verb,
        isResource: true,
        path: "",
        group: "certificates.k8s.io",
        version: "*",
        resource: "signers",
        subresource: "",
        namespace: "",
        name
      }).decision === "Allow"
  )

const refusal = ({ name, resource }: AdmissionAttributes, why: string): Status =>
  forbidden(groupResourceOf(resource), name, why)

const signerRefusal = (
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  verb: "approve" | "sign"
): Status | undefined => {
  const { signerName } = (attributes.oldObject as CertificateSigningRequest).spec
  return mayUse(authorizer, attributes.userInfo, verb, signerName)
    ? undefined
    : refusal(attributes, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`)
}

/** Upstream: plugin/pkg/admission/certificates/approval. */
const certificateApproval = (authorizer: Authorizer): AdmissionPlugin => ({
  name: "CertificateApproval",
  admits: (kind, verb, subresource) => kind === KIND && verb === "update" && subresource === "approval",
  validate: (attributes) => signerRefusal(authorizer, attributes, "approve")
})

/** Upstream: plugin/pkg/admission/certificates/signing. */
const certificateSigning = (authorizer: Authorizer): AdmissionPlugin => ({
  name: "CertificateSigning",
  admits: (kind, verb, subresource) => kind === KIND && verb === "update" && subresource === "status",
  validate: (attributes) => {
    const { status } = attributes.object as CertificateSigningRequest
    const { status: stored } = attributes.oldObject as CertificateSigningRequest
    const isSame =
      (status?.certificate ?? "") === (stored?.certificate ?? "") &&
      semanticEqual(status?.conditions ?? [], stored?.conditions ?? [])
    return isSame ? undefined : signerRefusal(authorizer, attributes, "sign")
  }
})

const clientSigner = "kubernetes.io/kube-apiserver-client"
const privileged = "system:masters"

/** Upstream: plugin/pkg/admission/certificates/subjectrestriction. */
const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  admits: (kind, verb, subresource) => kind === KIND && verb === "create" && subresource === undefined,
  validate: (attributes) => {
    const { request, signerName } = (attributes.object as CertificateSigningRequest).spec
    if (signerName !== clientSigner) return undefined
    const read = readCertificateRequest(Buffer.from(request ?? "", "base64").toString("latin1"))
    if (read instanceof CertificateRequestFault) return refusal(attributes, `failed to parse CSR: ${read.message}`)
    return read.organizations.includes(privileged)
      ? refusal(attributes, `use of ${clientSigner} signer with ${privileged} group is not allowed`)
      : undefined
  }
}

type Conditions = ReadonlyArray<CertificateSigningRequestCondition>

/** Dates new conditions, and those whose writer did not. Upstream: populateConditionTimestamps. */
const dated = (conditions: Conditions, stored: Conditions, now: string): Conditions =>
  conditions.map((condition) => {
    const same = stored.find(
      ({ lastTransitionTime, status, type }) =>
        type === condition.type && status === condition.status && lastTransitionTime
    )
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now
    }
  })

/**
 * Notes who makes a request, and when conditions change. Upstream: pkg/registry/certificates/certificates/strategy.go.
 */
const certificateRequestors: AdmissionPlugin = {
  name: "certificate requestors",
  admits: (kind, verb, subresource) =>
    kind === KIND && verb !== "delete" && (verb === "create") === (subresource === undefined),
  mutate: ({ object, oldObject, userInfo, verb }, { now }) => {
    const request = object as CertificateSigningRequest
    if (verb === "create") {
      const { extra: _, groups: __, uid: ___, username: ____, ...spec } = request.spec
      const { extra = {}, groups, uid, user } = userInfo
      const requestor = {
        username: user,
        ...(uid ? { uid } : {}),
        ...(groups.length > 0 ? { groups } : {}),
        ...(Object.keys(extra).length > 0 ? { extra } : {})
      }
      return Result.succeed({ ...request, spec: { ...spec, ...requestor } })
    }
    const conditions = request.status?.conditions
    if (conditions === undefined) return Result.succeed(request)
    const stored = (oldObject as CertificateSigningRequest).status?.conditions ?? []
    const status = { ...request.status, conditions: dated(conditions, stored, formatTime(now())) }
    return Result.succeed({ ...request, status })
  }
}

/** Returns the plugins for requests for certificates, without those that are disabled. */
export const certificatePlugins = (
  authorizer: Authorizer,
  disabled: ReadonlyArray<string> = []
): ReadonlyArray<AdmissionPlugin> => [
  certificateRequestors,
  ...[certificateApproval(authorizer), certificateSigning(authorizer), certificateSubjectRestriction].filter(
    ({ name }) => !disabled.includes(name)
  )
]
