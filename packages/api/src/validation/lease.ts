import type { Lease, LeaseSpec } from "../objects/Lease.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, noErrors, typed } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isQualifiedName, nameIsDNSSubdomain } from "./names.ts"

const checkSpec = (errors: ErrorList, spec: LeaseSpec | undefined): void => {
  if (spec === undefined) return
  const { leaseDurationSeconds, leaseTransitions, preferredHolder, strategy } = spec
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0")
  }
  errors.nonNegative("spec.leaseTransitions", leaseTransitions)
  if (strategy !== undefined) {
    if (strategy.includes("/")) errors.invalidEach("spec.strategy.strategy", typed(strategy), isQualifiedName(strategy))
    else if (strategy !== "OldestEmulationVersion") {
      errors.notSupported("spec.strategy.strategy", strategy, ["OldestEmulationVersion"])
    }
  }
  if (preferredHolder && !strategy) {
    errors.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")
  }
}

/** Upstream: pkg/apis/coordination/validation/validation.go. */
export const validateLease = (lease: Lease): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, lease.metadata, { namespaced: true, name: nameIsDNSSubdomain })
  checkSpec(errors, lease.spec)
  return errors.all
}

/** Whether the update is a heartbeat: the metadata is that of the stored lease except for the resourceVersion. */
const isRenewal = (lease: Lease, old: Lease): boolean => {
  const next = lease.metadata
  const last = old.metadata
  return (
    (next === last ||
      (next.name === last.name &&
        next.uid === last.uid &&
        next.namespace === last.namespace &&
        next.resourceVersion !== undefined &&
        next.resourceVersion !== "" &&
        next.creationTimestamp === last.creationTimestamp &&
        next.deletionTimestamp === last.deletionTimestamp &&
        next.deletionGracePeriodSeconds === last.deletionGracePeriodSeconds &&
        next.generation === last.generation &&
        next.labels === last.labels &&
        next.annotations === last.annotations &&
        next.ownerReferences === last.ownerReferences &&
        next.finalizers === last.finalizers &&
        next.managedFields === last.managedFields)) &&
    lease.spec !== undefined &&
    isValidSpec(lease.spec)
  )
}

const isValidSpec = (spec: LeaseSpec): boolean =>
  (spec.leaseDurationSeconds === undefined || spec.leaseDurationSeconds > 0) &&
  (spec.leaseTransitions === undefined || spec.leaseTransitions >= 0) &&
  spec.strategy === undefined &&
  spec.preferredHolder === undefined

/**
 * Validates an update of a Lease. It runs for every heartbeat of every node: a renewal passes after a few comparisons,
 * without allocating.
 */
export const validateLeaseUpdate = (lease: Lease, old: Lease): FieldErrors => {
  if (isRenewal(lease, old)) return noErrors
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, lease.metadata, old.metadata)
  checkSpec(errors, lease.spec)
  return errors.all
}
