import type { ConfigMap, Event, Secret, ServiceAccount } from "../objects/Core.ts"
import type { Job } from "../objects/Job.ts"
import type { KubeObject } from "../objects/Meta.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { byteLength, isConfigMapKey, type NameRule, nameIsDNSSubdomain, nameIsPathSegment } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"

/**
 * Kinds that nodes and controllers use, of which the node model reads only the metadata. Upstream:
 * pkg/apis/core/validation, pkg/apis/batch/validation.
 */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const maxDataBytes = 1024 * 1024

type Data = Readonly<Record<string, string>>

/** Checks the keys, none of which `other` may have, and returns the total size of the values in bytes. */
const checkKeys = (errors: ErrorList, data: Data | undefined, field: string, other: Data | undefined): number => {
  let bytes = 0
  if (data === undefined) return bytes
  for (const key of Object.keys(data)) {
    const value = data[key] ?? ""
    const messages = isConfigMapKey(key)
    if (messages.length > 0) errors.invalidEach(`${field}[${key}]`, key, messages)
    if (other !== undefined && Object.hasOwn(other, key)) {
      errors.invalid(`${field}[${key}]`, key, "duplicate of key present in binaryData")
    }
    bytes += byteLength(value)
  }
  return bytes
}

const immutableMessage = "field is immutable when `immutable` is set"

interface WithImmutable {
  readonly immutable?: boolean
  readonly data?: Data
  readonly binaryData?: Data
}

const checkImmutable = (errors: ErrorList, object: WithImmutable, old: WithImmutable): void => {
  if (!old.immutable) return
  if (!object.immutable) errors.forbidden("immutable", immutableMessage)
  if (!semanticEqual(object.data, old.data)) errors.forbidden("data", immutableMessage)
  if (!semanticEqual(object.binaryData, old.binaryData)) errors.forbidden("binaryData", immutableMessage)
}

export const validateConfigMap = (configMap: ConfigMap): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, configMap.metadata, options)
  const bytes =
    checkKeys(errors, configMap.data, "data", configMap.binaryData) +
    checkKeys(errors, configMap.binaryData, "binaryData", undefined)
  if (bytes > maxDataBytes) errors.tooLong("[]", maxDataBytes)
  return errors.all
}

export const validateConfigMapUpdate = (configMap: ConfigMap, old: ConfigMap): FieldErrors => {
  const errors = new ErrorList()
  checkMetadataUpdate(errors, configMap, old)
  checkImmutable(errors, configMap, old)
  errors.append(validateConfigMap(configMap))
  return errors.all
}

export const validateSecret = (secret: Secret): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, secret.metadata, options)
  if (checkKeys(errors, secret.data, "data", undefined) > maxDataBytes) errors.tooLong("data", maxDataBytes)
  return errors.all
}

export const validateSecretUpdate = (secret: Secret, old: Secret): FieldErrors => {
  const errors = new ErrorList()
  checkMetadataUpdate(errors, secret, old)
  if ((secret.type ?? "") !== (old.type ?? "")) errors.invalid("type", secret.type ?? "", "field is immutable")
  checkImmutable(errors, secret, old)
  errors.append(validateSecret(secret))
  return errors.all
}

const checkMetadataUpdate = (errors: ErrorList, object: KubeObject, old: KubeObject): void => {
  validateObjectMetaUpdate(errors, object.metadata, old.metadata)
  validateObjectMetaUpdate(errors, object.metadata, old.metadata, options)
}

const validateMetadataOnly =
  (name: NameRule = nameIsDNSSubdomain) =>
  (object: KubeObject): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, { ...options, name })
    return errors.all
  }

export const validateServiceAccount: (account: ServiceAccount) => FieldErrors = validateMetadataOnly()

export const validateServiceAccountUpdate = (account: ServiceAccount, old: ServiceAccount): FieldErrors => {
  const errors = new ErrorList()
  checkMetadataUpdate(errors, account, old)
  errors.append(validateServiceAccount(account))
  return errors.all
}

/** Jobs own pods, which drains and evictions need to know; the node model does not read them further. */
export const validateJob: (job: Job) => FieldErrors = validateMetadataOnly()

export const validateJobUpdate = (job: Job, old: Job): FieldErrors => {
  const errors = new ErrorList()
  checkMetadataUpdate(errors, job, old)
  errors.append(validateJob(job))
  return errors.all
}

/** Validates an event: it is in its object's namespace; events about cluster-scoped objects are in `default`. */
export const validateEvent = (event: Event): FieldErrors => {
  const errors = new ErrorList()
  const namespace = event.metadata?.namespace ?? ""
  const subject = event.involvedObject?.namespace ?? ""
  if (subject === "" ? namespace !== "" && namespace !== "default" : namespace !== subject) {
    errors.invalid("involvedObject.namespace", subject, "does not match event.namespace")
  }
  if (errors.size === 0) validateObjectMeta(errors, event.metadata, { namespaced: true, name: nameIsPathSegment })
  return errors.all
}

export const validateEventUpdate = (event: Event, old: Event): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, event.metadata, old.metadata)
  errors.append(validateEvent(event))
  return errors.all
}
