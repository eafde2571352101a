import type { IngressClass, IngressClassSpec } from "../objects/IngressClass.ts"
import type { ErrorList } from "./ErrorList.ts"
import { makeRules } from "./makeRules.ts"
import { byteLength, isDNS1123Subdomain, nameIsDNSLabel, nameIsPathSegment } from "./names.ts"
import { checkDomainPrefixedPath } from "./paths.ts"

interface Reference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

/** Checks a reference to an object of any kind. */
export const checkReference = (errors: ErrorList, reference: Reference, at: string): void => {
  const { apiGroup } = reference
  if (apiGroup !== undefined) errors.invalidEach(`${at}.apiGroup`, apiGroup, isDNS1123Subdomain(apiGroup))
  for (const field of ["kind", "name"] as const) {
    const value = reference[field]
    if (value === "") errors.required(`${at}.${field}`)
    else errors.invalidEach(`${at}.${field}`, value, nameIsPathSegment(value, false))
  }
}

const checkParameters = (errors: ErrorList, given: NonNullable<IngressClassSpec["parameters"]>): void => {
  const at = "spec.parameters"
  const { namespace, scope } = given
  checkReference(errors, given, at)
  if (scope === undefined) errors.required(`${at}.scope`)
  else if (scope === "Cluster") {
    if (namespace !== undefined) errors.forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")
  } else if (scope !== "Namespace") errors.notSupportedText(`${at}.scope`, scope, ["Cluster", "Namespace"])
  else if (namespace === undefined) errors.required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")
  else errors.invalidEach(`${at}.namespace`, namespace, nameIsDNSLabel(namespace, false))
}

const maxControllerBytes = 250

/** Upstream: pkg/apis/networking/validation/validation.go, ValidateIngressClass. */
export const ingressClassRules = makeRules<IngressClass>("Cluster", {
  check: (errors, { spec: { controller = "", parameters } = {} }) => {
    if (byteLength(controller) > maxControllerBytes) errors.tooLong("spec.controller", maxControllerBytes)
    checkDomainPrefixedPath(errors, controller, "spec.controller")
    if (parameters !== undefined) checkParameters(errors, parameters)
  },
  unchanged: (errors, { spec }, old) => {
    const { controller = "" } = spec ?? {}
    if (controller !== (old.spec?.controller ?? "")) errors.invalid("spec.controller", controller, "field is immutable")
  }
})
