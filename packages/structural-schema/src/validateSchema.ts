import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { isFields } from "@rollcall/api/values"
import type { Steps } from "@rollcall/time"
import { checkNumber } from "./checkNumber.ts"
import { checkEnum, checkText, checkType, inBody, place, type Run } from "./checkScalars.ts"
import { child, type JsonSchema } from "./JsonSchema.ts"
import { canonicalText, fieldSchema, previousItems, Sameness } from "./sameness.ts"
import { ALTERNATIVE_STEPS, FAULT_STEPS, VISIT_STEPS, Work } from "./Work.ts"

/** The number of parts of a value that match, by which the closest of several alternatives is found and reported. */
type Matched = number

/**
 * Validates a value against its schema, with the messages of kube-openapi. Parts that an update leaves unchanged are
 * not checked again (`old`). Throws `WorkExceeded` when that takes more than `work` allows. Upstream:
 * kube-openapi/pkg/validation/validate; apiextensions-apiserver/pkg/apiserver/validation (ratcheting).
 */
export const validateSchema = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old?: unknown,
  work: Work = new Work()
): void => {
  validateValue({ errors, work, sameness: new Sameness(), deferred: undefined }, value, schema, path, old)
}

/** Validates as `validateSchema` does, in steps. */
export const validateSchemaInSteps = function* (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old: unknown,
  work: Work
): Steps<void> {
  const deferred: Array<() => void> = []
  validateValue({ errors, work, sameness: new Sameness(), deferred }, value, schema, path, old)
  // Deferred parts are listed from the inside out. Parts that the first of them defers come before all others.
  while (deferred.length > 0) {
    yield work.resume()
    const [first, ...others] = deferred.splice(0)
    first?.()
    deferred.push(...others)
  }
}

const validateValue = (run: Run, value: unknown, schema: JsonSchema, path: string, old?: unknown): Matched => {
  const { errors, work } = run
  work.spend(VISIT_STEPS)
  if (old !== undefined && run.sameness.isSame(value, old, schema)) return 1
  const before = errors.size
  checkType(errors, value, schema, path)
  const hasType = errors.size === before ? 1 : 0
  if (value === null) {
    checkEnum(run, value, schema, path)
    return 0
  }
  let matched = hasType + checkAlternatives(run, value, schema, path)
  const errorsBefore = errors.size
  if (typeof value === "string") checkText(run, value, schema, path)
  else if (typeof value === "number" || typeof value === "bigint") checkNumber(errors, value, schema, path)
  work.spend((errors.size - errorsBefore + 1 - hasType) * FAULT_STEPS)
  if (Array.isArray(value)) matched += checkItems(run, value, schema, path, old)
  checkEnum(run, value, schema, path)
  if (isFields(value)) matched += checkFields(run, value, schema, path, old)
  return matched
}

const checkItems = (
  run: Run,
  list: ReadonlyArray<unknown>,
  schema: JsonSchema,
  path: string,
  old: unknown
): Matched => {
  const { errors, work } = run
  const { items, maxItems, minItems, uniqueItems } = schema
  let matched = 0
  if (items !== undefined) {
    matched += validateItems(run, list, items, path, previousItems(schema, old), 0)
  }
  if (minItems !== undefined && list.length < minItems) {
    errors.invalid(place(path), list.length, `${inBody(path)} should have at least ${minItems} items`)
  }
  if (maxItems !== undefined && list.length > maxItems) errors.tooMany(place(path), list.length, maxItems)
  if (uniqueItems === true && new Set(list.map(canonicalText)).size < list.length) {
    work.spend(FAULT_STEPS)
    errors.invalid(place(path), "", `${inBody(path)} shouldn't contain duplicates`)
  }
  return matched
}

const checkFields = (
  run: Run,
  object: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  path: string,
  old: unknown
): Matched => {
  const { errors, work } = run
  const { maxProperties, minProperties, required = [] } = schema
  const names = Object.keys(object).sort()
  if (minProperties !== undefined && names.length < minProperties) {
    errors.invalid(place(path), names.length, `${inBody(path)} should have at least ${minProperties} properties`)
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.tooMany(place(path), names.length, maxProperties)
  }
  let matched = validateFields(run, object, names, schema, path, old, 0)
  work.spend(required.length * VISIT_STEPS)
  for (const name of required) {
    if (Object.hasOwn(object, name)) {
      matched++
      continue
    }
    work.spend(FAULT_STEPS)
    errors.required(child(path, name))
  }
  return matched
}

type PreviousItem = (item: unknown) => unknown

const validateItems = (
  run: Run,
  list: ReadonlyArray<unknown>,
  items: JsonSchema,
  path: string,
  before: PreviousItem,
  from: number
): Matched => {
  let matched = 0
  for (let index = from; index < list.length; index++) {
    if (run.deferred !== undefined && run.work.isPauseDue) {
      run.deferred.push(() => validateItems(run, list, items, path, before, index))
      break
    }
    const item = list[index]
    matched += validateValue(run, item, items, `${path}[${index}]`, before(item))
  }
  return matched
}

const validateFields = (
  run: Run,
  object: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  schema: JsonSchema,
  path: string,
  old: unknown,
  from: number
): Matched => {
  const before = isFields(old) ? old : {}
  let matched = 0
  for (let index = from; index < names.length; index++) {
    if (run.deferred !== undefined && run.work.isPauseDue) {
      run.deferred.push(() => validateFields(run, object, names, schema, path, old, index))
      break
    }
    const name = names[index] as string
    const inner = fieldSchema(schema, name)
    if (inner === undefined) continue
    // A version that an update changes is converted before, so that it cannot be seen.
    const isHidden = path === "" && (name === "apiVersion" || name === "kind")
    const previous = isHidden || !Object.hasOwn(before, name) ? undefined : before[name]
    matched += validateValue(run, object[name], inner, child(path, name), previous)
  }
  return matched
}

/** Checks `allOf`, `anyOf`, `oneOf` and `not`. If all alternatives fail, the errors of the closest one are reported. */
const checkAlternatives = (run: Run, value: unknown, schema: JsonSchema, path: string): Matched => {
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema
  if (allOf.length === 0 && anyOf.length === 0 && oneOf.length === 0 && not === undefined) return 0
  // The closest alternative is known only after all have been checked completely.
  return run.deferred === undefined
    ? validateAlternatives(run, value, schema, path)
    : run.work.unbroken(() => validateAlternatives({ ...run, deferred: undefined }, value, schema, path))
}

const validateAlternatives = (run: Run, value: unknown, schema: JsonSchema, path: string): Matched => {
  const { errors } = run
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema
  let matched = 0
  const addError = (text: string) => errors.invalid("<nil>", "", `${JSON.stringify(path)} ${text}`)
  const validateEach = (schemas: ReadonlyArray<JsonSchema>) =>
    schemas.map((each): Attempt => {
      run.work.spend(ALTERNATIVE_STEPS)
      const faults = new ErrorList()
      return { faults, matched: validateValue({ ...run, errors: faults }, value, each, path) }
    })
  if (anyOf.length > 0) {
    const attempts = validateEach(anyOf)
    const fit = attempts.find(({ faults }) => faults.size === 0)
    if (fit === undefined) {
      addError("must validate at least one schema (anyOf)")
      errors.append(nearest(attempts))
    } else matched += fit.matched
  }
  if (oneOf.length > 0) {
    const attempts = validateEach(oneOf)
    const fits = attempts.filter(({ faults }) => faults.size === 0)
    const found = fits.length === 0 ? "Found none valid" : `Found ${fits.length} valid alternatives`
    if (fits.length !== 1) addError(`must validate one and only one schema (oneOf). ${found}`)
    if (fits.length === 0) errors.append(nearest(attempts))
    matched += fits[0]?.matched ?? 0
  }
  if (allOf.length > 0) {
    const attempts = validateEach(allOf)
    for (const attempt of attempts) {
      errors.append(attempt.faults.all)
      matched += attempt.matched
    }
    const failed = attempts.filter(({ faults }) => faults.size > 0).length
    if (failed > 0)
      addError(`must validate all the schemas (allOf)${failed === attempts.length ? ". None validated" : ""}`)
  }
  if (not !== undefined && validateEach([not])[0]?.faults.size === 0) addError("must not validate the schema (not)")
  return matched
}

/** The result of validating a value against one of several alternatives. */
interface Attempt {
  readonly faults: ErrorList
  readonly matched: Matched
}

/** Returns the errors of the alternative that matches most. */
const nearest = (attempts: ReadonlyArray<Attempt>): FieldErrors => {
  let best: Attempt | undefined
  for (const each of attempts) if (best === undefined || each.matched > best.matched) best = each
  return best?.faults.all ?? []
}
