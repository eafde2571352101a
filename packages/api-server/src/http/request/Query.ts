import {
  badRequest,
  type DeleteOptions,
  goQuote,
  invalid,
  parseFieldSelector,
  parseLabelSelector,
  type Status
} from "@rollcall/api"
import {
  type FieldErrors,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWriteOptions
} from "@rollcall/api/validation"
import { wellFormedText } from "@rollcall/api/wire"
import type { ListRequest, PatchType } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { decodedPath } from "./RequestInfo.ts"

/** Thrown for an invalid parameter; `HandlerChain` answers with its Status. */
export class InvalidParameter {
  readonly status: Status

  constructor(status: Status) {
    this.status = status
  }
}

type Values = ReadonlyMap<string, ReadonlyArray<string>>

const NO_VALUES: Values = new Map()

/** Upstream: Go's net/url, defaultMaxParams. */
const MAX_PAIRS = 10_000

const decoded = (text: string): string | undefined => decodedPath(text.includes("+") ? text.replaceAll("+", " ") : text)

/** Returns the values of a query by name, without pairs of bad escapes or a semicolon. Upstream: Go's net/url, ParseQuery. */
const valuesOf = (query: string): Values => {
  const pairs = query.split("&", MAX_PAIRS + 1)
  if (pairs.length > MAX_PAIRS) return NO_VALUES
  const values = new Map<string, Array<string>>()
  for (const pair of pairs) {
    if (pair === "" || pair.includes(";")) continue
    const equals = pair.indexOf("=")
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? "" : decoded(pair.slice(equals + 1))
    if (name === undefined || value === undefined) continue
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return values
}

/**
 * The query parameters of a request, parsed as Go's converters do. Upstream: apimachinery/pkg/conversion/queryparams.
 */
export class Query {
  private readonly values: Values

  constructor(text: string) {
    this.values = text === "" ? NO_VALUES : valuesOf(text)
  }

  get empty(): boolean {
    return this.values === NO_VALUES
  }

  /** Returns the first value of a parameter; undefined if it is absent. */
  text(name: string): string | undefined {
    return this.values.get(name)?.[0]
  }

  /** Returns all values of a parameter. */
  all(name: string): ReadonlyArray<string> {
    return this.values.get(name) ?? []
  }

  /** Returns the values of all parameters, by name. */
  byName(): Values {
    return this.values
  }

  /** Returns false for `false` and `0`, true for any other value, undefined if the parameter is absent. */
  flag(name: string): boolean | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : text.toLowerCase() !== "false" && text !== "0"
  }

  /**
   * Returns an integer; undefined if it is absent. Throws `InvalidParameter` unless it is a 64-bit integer.
   */
  integer(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const quoted = goQuote(text)
    if (!/^[+-]?\d+$/.test(text))
      throw new InvalidParameter(badRequest(`strconv.ParseInt: parsing ${quoted}: invalid syntax`))
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) !== value) {
      throw new InvalidParameter(badRequest(`strconv.ParseInt: parsing ${quoted}: value out of range`))
    }
    return Number(value)
  }
}

/** The query options of every write. */
export interface WriteQuery {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
}

/** Returns the 422 for invalid options of this kind; undefined without errors. */
const refusalOf = (kind: string, errors: FieldErrors): Status | undefined =>
  errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind }, "", errors)

const isPresent = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Returns the options of a write as the query has them, for validation. */
const rawWriteOptions = (query: Query) => {
  const fieldManager = query.text("fieldManager")
  const fieldValidation = query.text("fieldValidation")
  return {
    dryRun: query.all("dryRun"),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation })
  }
}

/** Returns the options of a create or an update, or the Status that refuses them. */
export const writeQuery = (kind: "CreateOptions" | "UpdateOptions", query: Query): WriteQuery | Status => {
  if (query.empty) return NO_OPTIONS
  const raw = rawWriteOptions(query)
  return refusalOf(kind, validateWriteOptions(raw)) ?? writeOptionsOf(raw)
}

export interface PatchQuery extends WriteQuery {
  readonly force?: boolean
}

/** Returns the options of a patch, or the Status that refuses them. */
export const patchQuery = (query: Query, patchType: PatchType): PatchQuery | Status => {
  const force = query.flag("force")
  const raw = { ...rawWriteOptions(query), ...(force === undefined ? {} : { force }) }
  const refusal = refusalOf("PatchOptions", validatePatchOptions(raw, patchType))
  return refusal ?? { ...writeOptionsOf(raw), ...(force === undefined ? {} : { force }) }
}

const NO_OPTIONS: WriteQuery = {}

const writeOptionsOf = (raw: ReturnType<typeof rawWriteOptions>): WriteQuery => {
  const { dryRun, fieldManager, fieldValidation } = raw
  return {
    ...(dryRun.length === 0 ? {} : { dryRun: true }),
    ...(isPresent(fieldManager) ? { fieldManager: wellFormedText(fieldManager) } : {}),
    ...(isFieldValidation(fieldValidation) ? { fieldValidation } : {})
  }
}

/** `validateWriteOptions` has refused other texts. */
const isFieldValidation = (text: string | undefined): text is "Ignore" | "Warn" | "Strict" => isPresent(text)

/** The options of a list that are texts and are omitted if empty. */
const listTextOptions = ["labelSelector", "fieldSelector", "continue", "resourceVersion"] as const

/** The query options of a list, a watch or a deletecollection. */
export interface ListQuery
  extends Pick<ListRequest, (typeof listTextOptions)[number] | "limit" | "resourceVersionMatch"> {
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks: boolean
  readonly timeoutSeconds: number
}

/**
 * Returns the options of a list, a watch or a deletecollection, or the Status that refuses them. `watch` says whether
 * the request's verb is watch: the query's own `watch` is not read here. May throw `InvalidParameter`.
 */
export const listQuery = (query: Query, watch: boolean): ListQuery | Status => {
  const texts: { -readonly [Name in (typeof listTextOptions)[number]]?: string } = {}
  for (const name of listTextOptions) {
    const text = query.text(name)
    if (isPresent(text)) texts[name] = text
  }
  const limit = query.integer("limit")
  const timeoutSeconds = query.integer("timeoutSeconds") ?? 0
  const { match, sendInitialEvents } = initialEventsOf(query, watch)
  const raw = {
    ...texts,
    watch,
    ...(match === undefined ? {} : { resourceVersionMatch: match }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents })
  }
  const refusal = refusalOf("ListOptions", validateListOptions(raw))
  // Selectors are parsed when the options are read, before these are validated.
  if (refusal !== undefined) return selectorFault(texts) ?? refusal
  return {
    ...texts,
    ...(limit === undefined ? {} : { limit }),
    ...(match === "Exact" || match === "NotOlderThan" ? { resourceVersionMatch: match } : {}),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    allowWatchBookmarks: query.flag("allowWatchBookmarks") === true,
    timeoutSeconds
  }
}

/** Whether the options of a list can be read, so that a name which they select counts. */
export const canReadListOptions = (query: Query): boolean => {
  const labels = query.text("labelSelector")
  if (labels !== undefined && Result.isFailure(parseLabelSelector(labels))) return false
  try {
    query.integer("limit")
    query.integer("timeoutSeconds")
    return true
  } catch (error) {
    if (error instanceof InvalidParameter) return false
    throw error
  }
}

/** Returns the 400 for a selector that cannot be parsed. */
const selectorFault = ({ fieldSelector, labelSelector }: SelectorTexts): Status | undefined => {
  const labels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector)
  if (labels !== undefined && Result.isFailure(labels)) return badRequest(labels.failure.message)
  const fields = fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector)
  return fields !== undefined && Result.isFailure(fields) ? badRequest(fields.failure.message) : undefined
}

type SelectorTexts = Pick<ListRequest, "fieldSelector" | "labelSelector">

/**
 * Returns the options that decide about initial events. A watch from revision 0, or from none, begins with the existing
 * objects. Upstream: apimachinery/pkg/apis/meta/internalversion/defaults.go.
 */
const initialEventsOf = (query: Query, watch: boolean) => {
  const sendInitialEvents = query.flag("sendInitialEvents")
  const match = query.text("resourceVersionMatch")
  const revision = query.text("resourceVersion") ?? ""
  const isDefault = watch && sendInitialEvents === undefined && !match && (revision === "" || revision === "0")
  return isDefault ? { match: "NotOlderThan", sendInitialEvents: true } : { match, sendInitialEvents }
}

const policies: ReadonlySet<string> = new Set(["Orphan", "Background", "Foreground"])

/**
 * Returns the options of a delete from the query, which apply if the request has no body, or the Status that refuses
 * them. May throw `InvalidParameter`. Upstream: apimachinery/pkg/apis/meta/v1/conversion.go,
 * Convert_url_Values_To_v1_DeleteOptions.
 */
export const deleteQuery = (query: Query): DeleteOptions | Status => {
  const gracePeriodSeconds = query.integer("gracePeriodSeconds")
  const orphanDependents = query.flag("orphanDependents")
  const propagationPolicy = query.text("propagationPolicy")
  const dryRun = query.all("dryRun")
  const uid = query.text("uid")
  const resourceVersion = query.text("resourceVersion")
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
  const options = {
    ...(uid || resourceVersion ? { preconditions } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as "Orphan" }),
    ...(dryRun.length === 0 ? {} : { dryRun })
  }
  if (propagationPolicy === undefined || policies.has(propagationPolicy)) return options
  return refusalOf("DeleteOptions", validateDeleteOptions(options)) ?? options
}

export const isStatus = (value: object): value is Status => "kind" in value && value.kind === "Status"
