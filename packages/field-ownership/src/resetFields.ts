import type { MessageType } from "@rollcall/api/wire"
import { emptySet, type FieldSet } from "./fieldSet.ts"

/** A kind, as far as its reset fields depend on it. */
interface ResetKind {
  readonly message?: MessageType | undefined
  readonly resource: { readonly kind: string }
  readonly subresources: ReadonlySet<string>
}

const status: FieldSet = { "f:status": {} }
const spec: FieldSet = { "f:spec": {} }

/**
 * The fields that a write to the status subresource resets, for kinds where these are more than the spec. Upstream:
 * GetResetFields of the strategies in pkg/registry.
 */
const whole: FieldSet = { "f:metadata": {}, ...spec }
const statusResetFields: Readonly<Record<string, FieldSet>> = {
  Pod: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} }, ...spec },
  Deployment: { "f:metadata": { "f:labels": {} }, ...spec },
  VolumeAttachment: whole,
  APIService: whole,
  FlowSchema: whole,
  PriorityLevelConfiguration: whole,
  ResourceClaim: whole,
  ServiceCIDR: whole,
  ValidatingAdmissionPolicy: whole
}

const certificateRequests: Readonly<Record<string, FieldSet>> = {
  "": { ...spec, ...status },
  status: { ...spec, "f:status": { "f:conditions": {} } },
  approval: { ...spec, "f:status": { "f:certificate": {} } }
}

const allButStatusByMessage = new WeakMap<MessageType, FieldSet>()

/** Returns the fields of a custom resource besides its status, the only one that a write to its status can own. */
const allButStatus = (message: MessageType): FieldSet => {
  const known = allButStatusByMessage.get(message)
  if (known !== undefined) return known
  const names = [...message.fields.keys()].filter((name) => name !== "status")
  const fields: FieldSet = Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
  allButStatusByMessage.set(message, fields)
  return fields
}

/** Returns the fields that a write to this (sub)resource cannot change, so that its writer never owns them. */
export const resetFields = (definition: ResetKind, subresource: string | undefined): FieldSet => {
  if (definition.resource.kind === "CertificateSigningRequest")
    return certificateRequests[subresource ?? ""] ?? emptySet
  if (subresource === "status") {
    const { message, resource } = definition
    return message?.goPackage === "unstructured" ? allButStatus(message) : (statusResetFields[resource.kind] ?? spec)
  }
  if (subresource === "finalize") return status
  return subresource === undefined && definition.subresources.has("status") ? status : emptySet
}
