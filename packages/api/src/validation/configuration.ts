import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { ConfigMap, Secret, ServiceAccount } from "../objects/Core.ts"
import type { KubeObject } from "../objects/Meta.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { jsonObjectFault } from "./jsonObjectFault.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { byteLength, isConfigMapKey, type NameRule, nameIsDNSSubdomain } from "./names.ts"
import { semanticEqualMaps } from "./semanticEqual.ts"

/**
 * Kinds that nodes and controllers use, of which the node model reads only the metadata. Upstream:
 * pkg/apis/core/validation, pkg/apis/batch/validation.
 */

const options = { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const maxDataBytes = 1024 * 1024

type Data = Readonly<Record<string, string>>

/** Returns the number of bytes that a base64 text stands for. */
const decodedLength = (text: string): number =>
  Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)

/** Checks the keys, none of which `other` may have, and returns the total size of the values in bytes. */
const checkKeys = (
  errors: ErrorList,
  data: Data | undefined,
  field: string,
  lengthOf: (value: string) => number,
  other?: Data
): number => {
  let bytes = 0
  if (data === undefined) return bytes
  for (const key of Object.keys(data)) {
    const value = data[key] ?? ""
    const messages = isConfigMapKey(key)
    if (messages.length > 0) errors.invalidEach(`${field}[${key}]`, key, messages)
    if (other !== undefined && Object.hasOwn(other, key)) {
      errors.invalid(`${field}[${key}]`, key, "duplicate of key present in binaryData")
    }
    bytes += lengthOf(value)
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
  if (!semanticEqualMaps(object.data, old.data)) errors.forbidden("data", immutableMessage)
  if (!semanticEqualMaps(object.binaryData, old.binaryData)) errors.forbidden("binaryData", immutableMessage)
}

export const validateConfigMap = (configMap: ConfigMap): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, configMap.metadata, options)
  const bytes =
    checkKeys(errors, configMap.data, "data", byteLength, configMap.binaryData) +
    checkKeys(errors, configMap.binaryData, "binaryData", decodedLength)
  if (bytes > maxDataBytes) errors.tooLong("[]", maxDataBytes)
  return errors.all
}

export const validateConfigMapUpdate = (configMap: ConfigMap, old: ConfigMap): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, configMap.metadata, old.metadata, options)
  checkImmutable(errors, configMap, old)
  errors.append(validateConfigMap(configMap))
  return errors.all
}

/** The keys that a secret of a type must have: all of them, or one. */
const keysOfTypes: Readonly<Record<string, { readonly keys: ReadonlyArray<string>; readonly any?: boolean }>> = {
  "kubernetes.io/dockercfg": { keys: [".dockercfg"] },
  "kubernetes.io/dockerconfigjson": { keys: [".dockerconfigjson"] },
  "kubernetes.io/basic-auth": { keys: ["username", "password"], any: true },
  "kubernetes.io/ssh-auth": { keys: ["ssh-privatekey"] },
  "kubernetes.io/tls": { keys: ["tls.crt", "tls.key"] }
}

const accountAnnotation = "kubernetes.io/service-account.name"

/** Returns why a base64 text is no JSON object in base64, as Go says it. */
const jsonFault = (base64: string): string | undefined => {
  const text = Result.getOrElse(Base64.decodeString(base64), () => "")
  return jsonObjectFault(text, "map[string]interface {}")
}

const checkSecretType = (errors: ErrorList, { data = {}, metadata, type = "" }: Secret): void => {
  if (type === "kubernetes.io/service-account-token") {
    if (!metadata.annotations?.[accountAnnotation]) errors.required(`metadata.annotations[${accountAnnotation}]`)
    return
  }
  const { any = false, keys = [] } = Object.hasOwn(keysOfTypes, type) ? (keysOfTypes[type] ?? {}) : {}
  const has = (key: string) => (key === "ssh-privatekey" ? Boolean(data[key]) : data[key] !== undefined)
  if (!any || !keys.some(has)) for (const key of keys) if (!has(key)) errors.required(`data[${key}]`)
  for (const key of keys) {
    const fault = key.startsWith(".") && has(key) ? jsonFault(data[key] ?? "") : undefined
    if (fault !== undefined) errors.invalid(`data[${key}]`, "<secret contents redacted>", fault)
  }
}

export const validateSecret = (secret: Secret): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, secret.metadata, options)
  if (checkKeys(errors, secret.data, "data", decodedLength) > maxDataBytes) errors.tooLong("data", maxDataBytes)
  checkSecretType(errors, secret)
  return errors.all
}

export const validateSecretUpdate = (secret: Secret, old: Secret): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, secret.metadata, old.metadata, options)
  if ((secret.type ?? "") !== (old.type ?? "")) errors.invalid("type", typed(secret.type ?? ""), "field is immutable")
  checkImmutable(errors, secret, old)
  errors.append(validateSecret(secret))
  return errors.all
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
  validateObjectMetaUpdate(errors, account.metadata, old.metadata, options)
  errors.append(validateServiceAccount(account))
  return errors.all
}
