import { badRequest, type DeleteOptions, invalid, type Status } from "@rollcall/api"
import {
  type FieldErrors,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWriteOptions
} from "@rollcall/api/validation"
import type { ListRequest, PatchType } from "@rollcall/cluster"

/** Thrown within a handler for an invalid parameter; it never leaves the handler. */
export class Refused {
  readonly status: Status

  constructor(status: Status) {
    this.status = status
  }
}

const NO_PARAMETERS = new URLSearchParams()

/** The query parameters of a request, parsed as Go's converters do. Upstream: apimachinery/pkg/conversion/queryparams. */
export class Query {
  private readonly values: URLSearchParams

  constructor(text: string) {
    this.values = text === "" ? NO_PARAMETERS : new URLSearchParams(text)
  }

  get empty(): boolean {
    return this.values === NO_PARAMETERS
  }

  /** Undefined when it is absent. */
  text(name: string): string | undefined {
    return this.values.get(name) ?? undefined
  }

  all(name: string): ReadonlyArray<string> {
    return this.values.getAll(name)
  }

  /** Returns all parameters, by name. */
  lists(): ReadonlyMap<string, ReadonlyArray<string>> {
    const lists = new Map<string, Array<string>>()
    for (const [name, value] of this.values) {
      const known = lists.get(name)
      if (known === undefined) lists.set(name, [value])
      else known.push(value)
    }
    return lists
  }

  /** Returns true for everything except `false` and `0`. */
  flag(name: string): boolean | undefined {
    const text = this.values.get(name)
    return text === null ? undefined : text.toLowerCase() !== "false" && text !== "0"
  }

  /** Throws `Refused` for a value that is not a 64-bit integer. */
  integer(name: string): number | undefined {
    const text = this.values.get(name)
    if (text === null || text === "") return undefined
    const quoted = JSON.stringify(text)
    if (!/^[+-]?\d+$/.test(text)) throw new Refused(badRequest(`strconv.ParseInt: parsing ${quoted}: invalid syntax`))
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) !== value) {
      throw new Refused(badRequest(`strconv.ParseInt: parsing ${quoted}: value out of range`))
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

const refusalOf = (kind: string, errors: FieldErrors): Status | undefined =>
  errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind }, "", errors)

const present = (text: string | undefined): text is string => text !== undefined && text !== ""

const rawWrite = (query: Query) => {
  const fieldManager = query.text("fieldManager")
  const fieldValidation = query.text("fieldValidation")
  return {
    dryRun: query.all("dryRun"),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation })
  }
}

/** Returns the options of a create or an update, or why they are invalid. */
export const writeQuery = (kind: "CreateOptions" | "UpdateOptions", query: Query): WriteQuery | Status => {
  if (query.empty) return NO_OPTIONS
  const raw = rawWrite(query)
  return refusalOf(kind, validateWriteOptions(raw)) ?? writeOptionsOf(raw)
}

export interface PatchQuery extends WriteQuery {
  readonly force?: boolean
}

export const patchQuery = (query: Query, patchType: PatchType): PatchQuery | Status => {
  const force = query.flag("force")
  const raw = { ...rawWrite(query), ...(force === undefined ? {} : { force }) }
  const refusal = refusalOf("PatchOptions", validatePatchOptions(raw, patchType))
  return refusal ?? { ...writeOptionsOf(raw), ...(force === undefined ? {} : { force }) }
}

const NO_OPTIONS: WriteQuery = {}

const writeOptionsOf = (raw: ReturnType<typeof rawWrite>): WriteQuery => {
  const { dryRun, fieldManager, fieldValidation } = raw
  return {
    ...(dryRun.length === 0 ? {} : { dryRun: true }),
    ...(present(fieldManager) ? { fieldManager } : {}),
    ...(isFieldValidation(fieldValidation) ? { fieldValidation } : {})
  }
}

const isFieldValidation = (text: string | undefined): text is "Ignore" | "Warn" | "Strict" => present(text)

const listNames = ["labelSelector", "fieldSelector", "continue", "resourceVersion"] as const

/** The query options of a list, a watch or a deletecollection. */
export interface ListQuery extends Pick<ListRequest, (typeof listNames)[number] | "limit" | "resourceVersionMatch"> {
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks: boolean
  readonly timeoutSeconds: number
}

/** May throw `Refused`. `watch`: by the verb, not by the query. */
export const listQuery = (query: Query, watch: boolean): ListQuery | Status => {
  const texts: { -readonly [Name in (typeof listNames)[number]]?: string } = {}
  for (const name of listNames) {
    const text = query.text(name)
    if (present(text)) texts[name] = text
  }
  const limit = query.integer("limit")
  const timeoutSeconds = query.integer("timeoutSeconds") ?? 0
  const sendInitialEvents = query.flag("sendInitialEvents")
  const match = query.text("resourceVersionMatch")
  const raw = {
    ...texts,
    watch,
    ...(match === undefined ? {} : { resourceVersionMatch: match }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents })
  }
  const refusal = refusalOf("ListOptions", validateListOptions(raw))
  if (refusal !== undefined) return refusal
  return {
    ...texts,
    ...(limit === undefined ? {} : { limit }),
    ...(match === "Exact" || match === "NotOlderThan" ? { resourceVersionMatch: match } : {}),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    allowWatchBookmarks: query.flag("allowWatchBookmarks") === true,
    timeoutSeconds
  }
}

const policies: ReadonlySet<string> = new Set(["Orphan", "Background", "Foreground"])

/** Returns the delete options of the query, which apply where the body has none. May throw `Refused`. */
export const deleteQuery = (query: Query): DeleteOptions | Status => {
  const gracePeriodSeconds = query.integer("gracePeriodSeconds")
  const orphanDependents = query.flag("orphanDependents")
  const propagationPolicy = query.text("propagationPolicy")
  const dryRun = query.all("dryRun")
  const options = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as "Orphan" }),
    ...(dryRun.length === 0 ? {} : { dryRun })
  }
  if (propagationPolicy === undefined || policies.has(propagationPolicy)) return options
  return refusalOf("DeleteOptions", validateDeleteOptions(options)) ?? options
}

export const isStatus = (value: object): value is Status => "kind" in value && value.kind === "Status"
