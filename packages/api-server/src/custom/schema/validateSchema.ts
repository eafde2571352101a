import { ErrorList, type FieldErrors } from "@rollcall/api/validation"
import { isFields } from "../../core/objects/values.ts"
import type { Steps } from "../../core/turns/Steps.ts"
import { ALTERNATIVE_STEPS, FAULT_STEPS, VISIT_STEPS, Work } from "../work/Work.ts"
import { checkEnum, checkNumber, checkText, checkType, inBody, place, type Run } from "./checkScalars.ts"
import { child, type JsonSchema, valuesOf } from "./JsonSchema.ts"
import { canonicalText, itemsBefore, Sameness } from "./sameness.ts"

/** How much of a value matched, so that the closest of several alternatives is reported. */
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
  judge({ errors, work, sameness: new Sameness(), rests: undefined }, value, schema, path, old)
}

/** As `validateSchema`, in steps. */
export const validateSchemaInSteps = function* (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old: unknown,
  work: Work
): Steps<void> {
  const rests: Array<() => void> = []
  judge({ errors, work, sameness: new Sameness(), rests }, value, schema, path, old)
  // Deferred parts are listed from the inside out. Parts that the first of them defers come before all others.
  while (rests.length > 0) {
    yield work.resume()
    const [first, ...others] = rests.splice(0)
    first?.()
    rests.push(...others)
  }
}

const judge = (run: Run, value: unknown, schema: JsonSchema, path: string, old?: unknown): Matched => {
  const { errors, work } = run
  work.spend(VISIT_STEPS)
  if (old !== undefined && run.sameness.of(value, old)) return 1
  const before = errors.size
  checkType(errors, value, schema, path)
  const sound = errors.size === before ? 1 : 0
  if (value === null) {
    checkEnum(run, value, schema, path)
    return 0
  }
  let matched = sound + checkAlternatives(run, value, schema, path)
  const errorsBefore = errors.size
  if (typeof value === "string") checkText(run, value, schema, path)
  else if (typeof value === "number") checkNumber(errors, value, schema, path)
  work.spend((errors.size - errorsBefore + 1 - sound) * FAULT_STEPS)
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
    matched += judgeItems(run, list, items, path, itemsBefore(schema, old), 0)
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
    errors.invalid(place(path), minProperties, `${inBody(path)} should have at least ${minProperties} properties`)
    return 0
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.tooMany(place(path), names.length, maxProperties)
    return 0
  }
  let matched = 0
  work.spend(required.length * VISIT_STEPS)
  for (const name of required) {
    if (Object.hasOwn(object, name)) {
      matched++
      continue
    }
    work.spend(FAULT_STEPS)
    errors.required(child(path, name))
  }
  return matched + judgeFields(run, object, names, schema, path, old, 0)
}

type Before = (item: unknown) => unknown

const judgeItems = (
  run: Run,
  list: ReadonlyArray<unknown>,
  items: JsonSchema,
  path: string,
  before: Before,
  from: number
): Matched => {
  let matched = 0
  for (let index = from; index < list.length; index++) {
    if (run.rests !== undefined && run.work.isPauseDue) {
      run.rests.push(() => judgeItems(run, list, items, path, before, index))
      break
    }
    const item = list[index]
    matched += judge(run, item, items, `${path}[${index}]`, before(item))
  }
  return matched
}

const judgeFields = (
  run: Run,
  object: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  schema: JsonSchema,
  path: string,
  old: unknown,
  from: number
): Matched => {
  const { properties = {} } = schema
  const values = valuesOf(schema)
  const before = isFields(old) ? old : {}
  let matched = 0
  for (let index = from; index < names.length; index++) {
    if (run.rests !== undefined && run.work.isPauseDue) {
      run.rests.push(() => judgeFields(run, object, names, schema, path, old, index))
      break
    }
    const name = names[index] as string
    const inner = Object.hasOwn(properties, name) ? properties[name] : values
    if (inner === undefined) continue
    matched += judge(run, object[name], inner, child(path, name), before[name])
  }
  return matched
}

/** Checks `allOf`, `anyOf`, `oneOf` and `not`. If all alternatives fail, the errors of the closest one are reported. */
const checkAlternatives = (run: Run, value: unknown, schema: JsonSchema, path: string): Matched => {
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema
  if (allOf.length === 0 && anyOf.length === 0 && oneOf.length === 0 && not === undefined) return 0
  // The closest alternative is known only after all have been checked completely.
  return run.rests === undefined
    ? judgeAlternatives(run, value, schema, path)
    : run.work.unbroken(() => judgeAlternatives({ ...run, rests: undefined }, value, schema, path))
}

const judgeAlternatives = (run: Run, value: unknown, schema: JsonSchema, path: string): Matched => {
  const { errors } = run
  const { allOf = [], anyOf = [], not, oneOf = [] } = schema
  let matched = 0
  const tell = (text: string) => errors.invalid("<nil>", "", `${JSON.stringify(path)} ${text}`)
  const tryEach = (schemas: ReadonlyArray<JsonSchema>) =>
    schemas.map((each): Tried => {
      run.work.spend(ALTERNATIVE_STEPS)
      const own = new ErrorList()
      return { own, got: judge({ ...run, errors: own }, value, each, path) }
    })
  if (anyOf.length > 0) {
    const tried = tryEach(anyOf)
    const fit = tried.find(({ own }) => own.size === 0)
    if (fit === undefined) {
      tell("must validate at least one schema (anyOf)")
      errors.append(nearest(tried))
    } else matched += fit.got
  }
  if (oneOf.length > 0) {
    const tried = tryEach(oneOf)
    const fits = tried.filter(({ own }) => own.size === 0)
    const found = fits.length === 0 ? "Found none valid" : `Found ${fits.length} valid alternatives`
    if (fits.length !== 1) tell(`must validate one and only one schema (oneOf). ${found}`)
    if (fits.length === 0) errors.append(nearest(tried))
    matched += fits[0]?.got ?? 0
  }
  if (allOf.length > 0) {
    const tried = tryEach(allOf)
    for (const { got, own } of tried) {
      errors.append(own.all)
      matched += got
    }
    const failed = tried.filter(({ own }) => own.size > 0).length
    if (failed > 0) tell(`must validate all the schemas (allOf)${failed === tried.length ? ". None validated" : ""}`)
  }
  if (not !== undefined && tryEach([not])[0]?.own.size === 0) tell("must not validate the schema (not)")
  return matched
}

interface Tried {
  readonly own: ErrorList
  readonly got: Matched
}

const nearest = (tried: ReadonlyArray<Tried>): FieldErrors => {
  let best: Tried | undefined
  for (const each of tried) if (best === undefined || each.got > best.got) best = each
  return best?.own.all ?? []
}
