import type { APIService } from "../objects/APIService.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { goQuote } from "./goFormat.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1035Label, isDNS1123Subdomain, isValidPortNumber, nameIsPathSegment } from "./names.ts"

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go. */

const maxGroupPriority = 20_000
const maxVersionPriority = 1000

const checkLocal = (errors: ErrorList, { caBundle, insecureSkipTLSVerify }: NonNullable<APIService["spec"]>): void => {
  if (caBundle) {
    const bytes = Math.floor((caBundle.replace(/=+$/, "").length * 3) / 4)
    errors.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle")
  }
  if (insecureSkipTLSVerify) {
    errors.invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")
  }
}

const checkRemote = (errors: ErrorList, spec: NonNullable<APIService["spec"]>): void => {
  const { namespace = "", name = "", port = 0 } = spec.service ?? {}
  if (namespace === "") errors.required("spec.service.namespace")
  if (name === "") errors.required("spec.service.name")
  const faults = isValidPortNumber(port)
  if (faults.length > 0) errors.invalid("spec.service.port", port, `port is not valid: ${faults.join(", ")}`)
  if (spec.insecureSkipTLSVerify && spec.caBundle) {
    errors.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")
  }
}

const checkAll = (errors: ErrorList, object: APIService): void => {
  const { group = "", groupPriorityMinimum = 0, service, version = "", versionPriority = 0 } = object.spec ?? {}
  const required = `${version}.${group}`
  validateObjectMeta(errors, object.metadata, {
    namespaced: false,
    name: (name) => {
      const faults = nameIsPathSegment(name, false)
      if (faults.length > 0 || name === required) return faults
      return [`must be \`spec.version+"."+spec.group\`: ${goQuote(required)}`]
    }
  })
  if (group === "") {
    if (version !== "v1") {
      errors.required("spec.group", "only v1 may have an empty group and it better be legacy kube")
    }
  } else errors.invalidEach("spec.group", group, isDNS1123Subdomain(group))
  errors.invalidEach("spec.version", version, isDNS1035Label(version))
  const checkPriority = (field: string, value: number, max: number): void => {
    if (value <= 0 || value > max) errors.invalid(`spec.${field}`, value, `must be positive and less than ${max}`)
  }
  checkPriority("groupPriorityMinimum", groupPriorityMinimum, maxGroupPriority)
  checkPriority("versionPriority", versionPriority, maxVersionPriority)
  if (service === undefined) checkLocal(errors, object.spec ?? {})
  else checkRemote(errors, object.spec ?? {})
}

const checkChange = (object: APIService, old: APIService): ErrorList => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, object.metadata, old.metadata)
  return errors
}

const statuses = ["True", "False", "Unknown"]

export const apiServiceRules = {
  create: (object: APIService): FieldErrors => {
    const errors = new ErrorList()
    checkAll(errors, object)
    return errors.all
  },
  update: (object: APIService, old: APIService): FieldErrors => {
    const errors = checkChange(object, old)
    checkAll(errors, object)
    return errors.all
  },
  updateStatus: (object: APIService, old: APIService): FieldErrors => {
    const errors = checkChange(object, old)
    object.status?.conditions?.forEach(({ status }, index) => {
      if (!statuses.includes(status)) errors.notSupported(`status.conditions[${index}].status`, status, statuses)
    })
    return errors.all
  }
}
