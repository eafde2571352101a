// Which objects are valid, by kind.

export type { ExpressionFault, Expressions, ExpressionUse, MakeExpressions } from "./admission/Expressions.ts"
export { mutatingAdmissionPolicyRules, validatingAdmissionPolicyRules } from "./admission/policies.ts"
export { mutatingWebhookRules, validatingWebhookRules } from "./admission/webhooks.ts"
export { scaleToZeroRules } from "./autoscaler.ts"
export { caBundleFault } from "./caBundle.ts"
export { type CertificateChecks, certificateSigningRequestRules } from "./certificateSigningRequest.ts"
export { validateCustomResourceDefinition, validateCustomResourceDefinitionUpdate } from "./customResourceDefinition.ts"
export { type Approval, approvalOf } from "./definitions/approval.ts"
export { printedRule } from "./definitions/internalForm.ts"
export {
  type DeepChecks,
  type DefinedSchema,
  definedSchemaFaults,
  definedSchemas,
  eachSchemaPart
} from "./definitions/schemaFaults.ts"
export type { CheckExpression } from "./devices/requests.ts"
export { deviceClassRules, resourceClaimRules, resourceClaimTemplateRules } from "./devices/rules.ts"
export { equalAs, equalInField } from "./equalAs.ts"
export { validateEvent, validateEventUpdate } from "./event.ts"
export { validateAnnotations, validateLabels, validateSetOperator } from "./labels.ts"
export {
  validateChangedMetadata,
  validateNewMetadata,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "./metadata.ts"
export { validateNamespaceFinalizeUpdate } from "./namespace.ts"
export {
  type ListOptionsInput,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWriteOptions,
  type WriteOptions
} from "./options.ts"
export { validateBinding, validatePod } from "./pod.ts"
export { validateEphemeralContainersUpdate, validatePodResize } from "./podParts.ts"
export { validateClusterIPs } from "./serviceAddresses.ts"

// Errors of fields.

export { ErrorList } from "./ErrorList.ts"
export {
  type FieldError,
  type FieldErrors,
  type FieldErrorType,
  fieldErrorsText,
  fieldErrorText,
  omittedValue,
  typed
} from "./FieldError.ts"

// Names, addresses and other values.

export { badUrlEscape, cutText, splitUrl, type UrlParts } from "./goUrl.ts"
export { type CIDR, familyOf, formatIP, type IPAddress, parseCIDR, parseIP } from "./ip.ts"
export {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type Messages,
  type NameRule,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  nameIsPathSegment,
  resourceNameFault
} from "./names.ts"
export { checkDomainPrefixedPath } from "./paths.ts"
export {
  appArmorAnnotation,
  appArmorProfileOf,
  isSameProfile,
  isValidAppArmorProfile,
  type Profile
} from "./profileAnnotations.ts"
export { isExtendedResource } from "./resources.ts"
export { semanticEqual } from "./semanticEqual.ts"
