import {
  goQuote,
  internalError,
  invalid,
  type KubeObject,
  type Status,
  sortedEntries,
  unknownError
} from "@rollcall/api"
import { holdsLiterals } from "@rollcall/api/json"
import {
  conversionError,
  interpretKind,
  NULL_VERSION,
  registeredType,
  scaleConversionError
} from "@rollcall/api/scheme"
import { isFields, withSortedKeys } from "@rollcall/api/values"
import {
  compactText,
  decodeValue,
  type GroupVersionKind,
  type MessageType,
  rawText,
  rememberText,
  unstructuredError,
  visitTexts,
  wireTypeNamed,
  wireTypeOfGvk,
  withCutIntegers,
  withNulls
} from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { typeOfOtherKind, typeOfUnknownVersion } from "../objects/typesOfOthers.ts"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"
import type { Exchange } from "./Exchange.ts"
import type { ServerCore } from "./ServerCore.ts"
import { shownPatch } from "./shownPatch.ts"
import { inOrder, sortedAsPatched } from "./strictOrder.ts"

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" }

const noErrors: ReadonlyArray<string> = []

/**
 * Decodes the result of a patch as strictly as any body: unknown and duplicate fields lead to warnings or a refusal,
 * nulls are removed. Errors are about the field `patch`. Returns the result unchanged if the server does not maintain managedFields.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go, applyPatchToCurrentObject.
 */
export const decodePatched = (
  { ownership }: ServerCore,
  exchange: Exchange,
  definition: KindDefinition,
  request: PatchRequest,
  document: unknown,
  patched: unknown
): Result.Result<unknown, Status> => {
  if (ownership === undefined) return Result.succeed(patched)
  const { fieldValidation = "Warn", patchType, strictErrors = noErrors } = request
  const scale = request.subresource === "scale" ? wireTypeOfGvk(scaleKind) : undefined
  const expected: GroupVersionKind = scale === undefined ? definition.resource : scaleKind
  const custom = scale === undefined && definition.message !== undefined
  const type = scale ?? ownership.typeOf(definition)
  const refuse = (why: string) => {
    const badValue = shownPatch(definition, request, withNulls(document), patched, type)
    return Result.fail(
      invalid({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", badValue, detail: why }])
    )
  }
  const isText = patchType !== "strategic"
  const typeFault = custom ? customKindError(request) : scale === undefined ? kindError : scaleError(definition)
  const mismatch = isText ? typeFault(patched, expected) : undefined
  if (mismatch !== undefined) return refuse((custom ? undefined : otherKindError(patched, expected)) ?? mismatch)
  const lacksVersion = isText && isFields(patched) && !patched.apiVersion
  if (lacksVersion && custom && patched.apiVersion === null) return refuse(NULL_VERSION)
  if (lacksVersion && !custom) {
    const found = internalObject(patched, type)
    const fault = strictFaultOf([...strictErrors, ...found.unknown], fieldValidation, exchange)
    return fault === undefined ? Result.succeed(withKind(found.object, expected)) : refuse(fault)
  }
  const named = custom ? customType(definition, patched, type) : type
  const decoded = decodedPatch(named, request, document, patched, custom)
  if (Result.isFailure(decoded)) return refuse(decoded.failure)
  const unknown = inOrder(decoded.success.strictErrors, patchType, () => {
    const sorted = decodeValue(named, sortedAsPatched(patched, request, { document, type }), { structural: custom })
    return Result.isSuccess(sorted) ? sorted.success.strictErrors : noErrors
  })
  const strictFault = strictFaultOf([...strictErrors, ...unknown], fieldValidation, exchange)
  if (strictFault !== undefined) return refuse(strictFault)
  if (lacksVersion) return Result.fail(NO_VERSION)
  if (custom) return Result.succeed(decoded.success.value)
  keepTexts(type, request, document, patched, decoded.success.value)
  const object = withKind(decoded.success.value, expected)
  const fault = scale === undefined && isFields(object) ? definition.conversionFault?.(object as KubeObject) : undefined
  if (fault === undefined) return Result.succeed(object)
  return patchType === "strategic" ? Result.fail(unknownError(fault)) : refuse(fault)
}

/** Warns of strict errors, or returns the refusal, as `fieldValidation` says. */
const strictFaultOf = (
  faults: ReadonlyArray<string>,
  fieldValidation: NonNullable<PatchRequest["fieldValidation"]>,
  exchange: Exchange
): string | undefined => {
  if (faults.length === 0 || fieldValidation === "Ignore") return undefined
  if (fieldValidation === "Strict") return `strict decoding error: ${faults.join(", ")}`
  for (const fault of faults) exchange.warn(fault)
  return undefined
}

const NO_VERSION = internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")

/**
 * Returns a patched object without apiVersion, which Go decodes into its internal struct: that has the fields of the
 * metadata at its top, and names its others as Go does, so that hardly any field of the object is known.
 */
const internalObject = (patched: Readonly<Record<string, unknown>>, type: MessageType) => {
  const objectMeta = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  const goNames = new Set([...type.fields.keys()].map((name) => name.charAt(0).toUpperCase() + name.slice(1)))
  const metadata: Record<string, unknown> = {}
  const unknown: Array<string> = []
  for (const [name, value] of sortedEntries(patched)) {
    if (objectMeta?.fields.has(name) === true) metadata[name] = value
    else if (name !== "kind" && name !== "apiVersion" && !goNames.has(name))
      unknown.push(`unknown field ${goQuote(name)}`)
  }
  return { object: { metadata }, unknown }
}

/** Returns the type by which a patched custom resource is pruned: that of the kind and version that it names. */
const customType = (definition: KindDefinition, patched: unknown, type: MessageType): MessageType => {
  const { apiVersion, resource, view } = definition
  const versions = definition.versions ?? view?.called
  if (!isFields(patched)) return type
  const version = String(patched.apiVersion)
  if (patched.kind !== resource.kind || !version.startsWith(`${resource.group}/`)) return typeOfOtherKind(type)
  return version === apiVersion ? type : (versions?.typeOf(version) ?? typeOfUnknownVersion(type))
}

/** Returns a function that returns why a patched custom resource is of no kind. */
const customKindError =
  (request: PatchRequest) =>
  (patched: unknown, expected: GroupVersionKind): string | undefined => {
    const found = interpretKind(patched, expected)
    if (Result.isFailure(found)) return found.failure
    return isFields(patched) && !patched.kind
      ? `Object 'Kind' is missing in '${JSON.stringify(sortedAsPatched(patched, request))}'`
      : undefined
  }

/** Returns why a patched object is not of the expected kind; undefined if it is, or if it names none. */
const kindError = (patched: unknown, expected: GroupVersionKind): string | undefined => {
  const found = interpretKind(patched, expected)
  return Result.isFailure(found) ? found.failure : conversionError(found.success, expected)
}

/** Returns why a patched Scale is not of the expected kind. */
const scaleError =
  (definition: KindDefinition) =>
  (patched: unknown, expected: GroupVersionKind): string | undefined => {
    const found = interpretKind(patched, expected)
    return Result.isFailure(found)
      ? found.failure
      : scaleConversionError(found.success, expected, patched, isCustom(definition))
  }

/**
 * Decodes the result of a patch. That of a strategic merge patch is not decoded from JSON but converted, with other
 * errors, and with integers cut to their size. Any other is written, mostly with sorted keys, and read again: of several
 * errors the first in that order counts.
 */
const decodedPatch = (
  type: MessageType,
  request: PatchRequest,
  document: unknown,
  patched: unknown,
  structural: boolean
): ReturnType<typeof decodeValue> => {
  const { body, patchType } = request
  const isConverted = patchType === "strategic"
  const options = { structural, isConverted, hasLiterals: !isConverted && holdsLiterals(body) }
  const decoded = decodeValue(type, patched, options)
  if (Result.isSuccess(decoded)) return decoded
  if (patchType !== "strategic")
    return decodeValue(type, sortedAsPatched(patched, request, { document, type }), options)
  const fault = unstructuredError(type, patched)
  return fault === undefined ? decodeValue(type, withCutIntegers(type, patched), options) : Result.fail(fault)
}

/**
 * Keeps the texts of a patched object's fields that Go keeps as text: compact where the patch leaves the field, and with
 * sorted keys where it changes the field, or where the whole object was converted, as for a strategic patch.
 */
const keepTexts = (
  type: MessageType,
  { body, patchType }: PatchRequest,
  document: unknown,
  patched: unknown,
  decoded: unknown
): void => {
  // The body of a JSON patch is a list, in which no field of the object is.
  const opening = Array.isArray(body) ? undefined : body
  visitTexts(type, [decoded, patched, document, opening], (name, [target, after, before, opened]) => {
    const value = isFields(after) ? after[name] : undefined
    if (!isFields(target) || value === undefined || value === null) return
    const opens = patchType === "strategic" || (isFields(opened) && Object.hasOwn(opened, name))
    const isLeft = !opens && isFields(before) && value === before[name]
    const text = (isLeft ? rawText(value) : undefined) ?? JSON.stringify(withSortedKeys(value))
    rememberText(target[name], compactText(text))
  })
}

/** Returns why a patched object of another known kind cannot be decoded as such, which comes before its conversion. */
const otherKindError = (patched: unknown, expected: GroupVersionKind): string | undefined => {
  const found = interpretKind(patched, expected)
  const type = Result.isSuccess(found) ? registeredType(found.success) : undefined
  const decoded = type === undefined ? undefined : decodeValue(type, patched)
  return decoded !== undefined && Result.isFailure(decoded) ? decoded.failure : undefined
}

/** Returns the object with the expected kind: a patch may remove it, and a strategic one may set any. */
const withKind = (value: unknown, { group, kind, version }: GroupVersionKind): unknown => {
  const apiVersion = group === "" ? version : `${group}/${version}`
  if (!isFields(value) || (value.kind === kind && value.apiVersion === apiVersion)) return value
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = value
  return { kind, apiVersion, ...rest }
}
