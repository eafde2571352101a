import type { DeleteOptions } from "../objects/Status.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { validateFieldManager } from "./metadata.ts"

/**
 * The options of a write, from its query. The API server answers errors of options with an Invalid about
 * `CreateOptions.meta.k8s.io`, `PatchOptions.meta.k8s.io` and so on, without a name. Upstream:
 * apimachinery/pkg/apis/meta/v1/validation/validation.go and apis/meta/internalversion/validation.
 */
export interface WriteOptions {
  readonly dryRun?: ReadonlyArray<string>
  readonly fieldManager?: string
  readonly fieldValidation?: string
}

const checkDryRun = (errors: ErrorList, dryRun: ReadonlyArray<string> = []): void => {
  if (dryRun.some((value) => value !== "All")) errors.notSupported("dryRun", dryRun, ["All"])
}

const checkFieldValidation = (errors: ErrorList, value = ""): void => {
  if (!["", "Ignore", "Strict", "Warn"].includes(value)) {
    errors.notSupportedText("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])
  }
}

const checkWrite = (errors: ErrorList, options: WriteOptions): void => {
  validateFieldManager(errors, options.fieldManager ?? "", "fieldManager")
  checkDryRun(errors, options.dryRun)
  checkFieldValidation(errors, options.fieldValidation)
}

/** Checks the options of a create or an update, which have the same rules. */
export const validateWriteOptions = (options: WriteOptions): FieldErrors => {
  const errors = new ErrorList()
  checkWrite(errors, options)
  return errors.all
}

/** Checks the options of a patch. Only an apply patch may be forced, and it must have a field manager. */
export const validatePatchOptions = (
  options: WriteOptions & { readonly force?: boolean },
  patch: "json" | "merge" | "strategic" | "apply"
): FieldErrors => {
  const errors = new ErrorList()
  if (patch !== "apply") {
    if (options.force !== undefined) errors.forbidden("force", "may not be specified for non-apply patch")
  } else if (!options.fieldManager) errors.required("fieldManager", "is required for apply patch")
  checkWrite(errors, options)
  return errors.all
}

export const validateDeleteOptions = (options: DeleteOptions): FieldErrors => {
  const errors = new ErrorList()
  const { dryRun, orphanDependents, propagationPolicy } = options
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.invalid(
      "propagationPolicy",
      typed(propagationPolicy),
      "orphanDependents and deletionPropagation cannot be both set"
    )
  }
  if (propagationPolicy !== undefined && !["Foreground", "Background", "Orphan"].includes(propagationPolicy)) {
    errors.notSupported("propagationPolicy", propagationPolicy, ["Foreground", "Background", "Orphan", "nil"])
  }
  checkDryRun(errors, dryRun)
  return errors.all
}

export interface ListOptionsInput {
  readonly watch?: boolean
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly sendInitialEvents?: boolean
}

const matchPath = "resourceVersionMatch"

/** Checks the combinations of list and watch options. */
export const validateListOptions = (options: ListOptionsInput): FieldErrors => {
  const errors = new ErrorList()
  const match = options.resourceVersionMatch ?? ""
  if (options.watch) checkWatch(errors, match, options)
  else checkList(errors, match, options)
  return errors.all
}

const forbiddenWithContinue = "resourceVersionMatch is forbidden when continue is provided"

const checkList = (errors: ErrorList, match: string, options: ListOptionsInput): void => {
  if (match !== "") {
    if (!options.resourceVersion) {
      errors.forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided")
    }
    if (options.continue) errors.forbidden(matchPath, forbiddenWithContinue)
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.notSupported(matchPath, match, ["Exact", "NotOlderThan", ""])
    }
    if (match === "Exact" && options.resourceVersion === "0") {
      errors.forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")
  }
}

const checkWatch = (errors: ErrorList, match: string, options: ListOptionsInput): void => {
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.forbidden(matchPath, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
  }
  if (match === "") return
  if (options.sendInitialEvents === undefined) {
    errors.forbidden(matchPath, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
  }
  if (match !== "NotOlderThan") errors.notSupported(matchPath, match, ["NotOlderThan"])
  if (options.continue) errors.forbidden(matchPath, forbiddenWithContinue)
}
