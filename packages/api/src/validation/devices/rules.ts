import type { DeviceClass, ResourceClaim, ResourceClaimTemplate } from "../../objects/ResourceClaim.ts"
import type { ResourceSlice } from "../../objects/ResourceSlice.ts"
import { ErrorList } from "../ErrorList.ts"
import { equalAs } from "../equalAs.ts"
import { noErrors } from "../FieldError.ts"
import { goStruct } from "../goStruct.ts"
import { makeRules } from "../makeRules.ts"
import { validateObjectMeta, validateObjectMetaUpdate, validateTemplateMetadata } from "../metadata.ts"
import { nameIsDNSSubdomain, nameIsLongName } from "../names.ts"
import type { Validation } from "../Validation.ts"
import { checkClaimStatus } from "./claimStatus.ts"
import { type CheckExpression, checkDeviceClaim, checkDeviceClass } from "./requests.ts"
import { checkSlice } from "./slices.ts"

/** Upstream: pkg/apis/resource/validation/validation.go. */

const anyExpression: CheckExpression = () => noErrors

const immutable = "field is immutable"

const types = "io.k8s.api.resource.v1"

/** Classes, which are not namespaced, have declarative validation. */
const createOptions = (namespaced: boolean) => ({
  namespaced,
  name: namespaced ? nameIsDNSSubdomain : nameIsLongName,
  standardFinalizers: true
})

/** An update checks the metadata as a create does, and then its change. */
const checkMetadata = <A extends ResourceClaim | DeviceClass>(object: A, old: A, namespaced: boolean): ErrorList => {
  const errors = new ErrorList()
  validateObjectMeta(errors, object.metadata, createOptions(namespaced))
  validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })
  return errors
}

/** Makes the rules of device classes. `checkExpression` checks the expressions of selectors. */
export const deviceClassRules = (checkExpression = anyExpression): Validation<DeviceClass> => ({
  create: (object) => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, createOptions(false))
    checkDeviceClass(errors, object, undefined, checkExpression)
    return errors.all
  },
  update: (object, old) => {
    const errors = checkMetadata(object, old, false)
    checkDeviceClass(errors, object, old, checkExpression)
    return errors.all
  }
})

/** Makes the rules of claims, whose spec never changes. */
export const resourceClaimRules = (checkExpression = anyExpression): Validation<ResourceClaim> => ({
  create: (object) => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, createOptions(true))
    checkDeviceClaim(errors, object.spec.devices ?? {}, "spec.devices", checkExpression)
    return errors.all
  },
  update: (object, old) => {
    const errors = checkMetadata(object, old, true)
    if (!equalAs("resource.v1.ResourceClaimSpec", object.spec, old.spec))
      errors.invalid("spec", goStruct(object.spec, `${types}.ResourceClaimSpec`), immutable)
    return errors.all
  },
  updateStatus: (object, old) => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })
    checkClaimStatus(errors, object, old)
    return errors.all
  }
})

/** Makes the rules of the templates of claims. An update repeats all checks of a create before those of the change. */
export const resourceClaimTemplateRules = (checkExpression = anyExpression): Validation<ResourceClaimTemplate> => {
  const checkAll = (errors: ErrorList, object: ResourceClaimTemplate): void => {
    validateObjectMeta(errors, object.metadata, createOptions(true))
    const { metadata, spec } = object.spec
    validateTemplateMetadata(errors, metadata, "spec.metadata")
    checkDeviceClaim(errors, spec.devices ?? {}, "spec.spec.devices", checkExpression)
  }
  return {
    create: (object) => {
      const errors = new ErrorList()
      checkAll(errors, object)
      return errors.all
    },
    update: (object, old) => {
      const errors = new ErrorList()
      checkAll(errors, object)
      validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })
      if (!equalAs("resource.v1.ResourceClaimTemplateSpec", object.spec, old.spec)) {
        errors.invalid("spec", goStruct(object.spec, `${types}.ResourceClaimTemplateSpec`), immutable)
      }
      return errors.all
    }
  }
}

export const resourceSliceRules = makeRules<ResourceSlice>("Cluster", { check: checkSlice, onUpdate: "change" })
