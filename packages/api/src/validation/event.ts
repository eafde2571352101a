import type { Event } from "../objects/Core.ts"
import { ErrorList } from "./ErrorList.ts"
import { equalAs } from "./equalAs.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Subdomain, isQualifiedName, nameIsDNSSubdomain } from "./names.ts"

/*
 * Events of both groups, in the form of the core group, whose fields the errors name. Upstream:
 * pkg/apis/core/validation/events.go.
 */

/** The version of a request for Events: events.k8s.io/v1 has more rules. */
export type EventVersion = "v1" | "events.k8s.io/v1"

/** The maximum length of `action`, `reason` and `reportingInstance`, in bytes. */
const MAX_TEXT_LENGTH = 128
/** The maximum length of the message, in bytes. */
const MAX_NOTE_LENGTH = 1024

const checkText = (errors: ErrorList, field: string, value = ""): void => {
  if (value === "") errors.required(field)
  if (value.length > MAX_TEXT_LENGTH) errors.invalid(field, "", `can have at most ${MAX_TEXT_LENGTH} characters`)
}

/** Checks that an event is in its object's namespace, and has the fields of its form: those with eventTime have more. */
const checkEvent = (errors: ErrorList, event: Event, version: EventVersion): void => {
  const { action, eventTime, message = "", reason, reportingComponent = "", reportingInstance } = event
  const namespace = event.metadata.namespace ?? ""
  const subject = event.involvedObject?.namespace ?? ""
  const mismatch = () => errors.invalid("involvedObject.namespace", subject, "does not match event.namespace")
  if (!eventTime) {
    if (subject === "" ? namespace !== "" && namespace !== "default" : namespace !== subject) mismatch()
  } else {
    if (subject === "" && namespace !== "default" && namespace !== "kube-system") mismatch()
    const reporter = version === "v1" ? "reportingComponent" : "reportingController"
    if (reportingComponent === "") errors.required(reporter)
    errors.invalidEach(reporter, reportingComponent, isQualifiedName(reportingComponent))
    checkText(errors, "reportingInstance", reportingInstance)
    checkText(errors, "action", action)
    checkText(errors, "reason", reason)
    if (message.length > MAX_NOTE_LENGTH) {
      errors.invalid("message", "", `can have at most ${MAX_NOTE_LENGTH} characters`)
    }
  }
  errors.invalidEach("namespace", namespace, isDNS1123Subdomain(namespace))
}

const checkSeries = (errors: ErrorList, { series }: Event): void => {
  if (series === undefined) return
  if ((series.count ?? 0) < 2) errors.invalid("series.count", "", "should be at least 2")
  if (!series.lastObservedTime) errors.required("series.lastObservedTime")
}

const checkNewForm = (errors: ErrorList, event: Event): void => {
  validateObjectMeta(errors, event.metadata, { namespaced: true, name: nameIsDNSSubdomain, standardFinalizers: true })
  checkSeries(errors, event)
  if (!event.eventTime) errors.required("eventTime")
  const { count = 0, firstTimestamp, lastTimestamp, source, type = "" } = event
  if (type !== "Normal" && type !== "Warning") errors.invalid("type", "", `has invalid value: ${type}`)
  const mustBeUnset = "needs to be unset"
  if (firstTimestamp) errors.invalid("firstTimestamp", "", mustBeUnset)
  if (lastTimestamp) errors.invalid("lastTimestamp", "", mustBeUnset)
  if (count !== 0) errors.invalid("count", "", mustBeUnset)
  if (source?.component || source?.host) errors.invalid("source", "", mustBeUnset)
}

export const validateEvent = (event: Event, version: EventVersion = "v1"): FieldErrors => {
  const errors = new ErrorList()
  checkEvent(errors, event, version)
  if (version !== "v1") checkNewForm(errors, event)
  return errors.all
}

/** The fields that an update through events.k8s.io may not change, and what an absent one is. */
const immutableFields = [
  ["involvedObject", {}],
  ["reason", ""],
  ["message", ""],
  ["source", {}],
  ["firstTimestamp", null],
  ["lastTimestamp", null],
  ["count", 0],
  ["reason", ""],
  ["type", ""],
  ["eventTime", null],
  ["action", ""],
  ["related", null],
  ["reportingComponent", ""],
  ["reportingInstance", ""]
] as const

const referenceNames = [
  ["Kind", "kind"],
  ["Namespace", "namespace"],
  ["Name", "name"],
  ["UID", "uid"],
  ["APIVersion", "apiVersion"],
  ["ResourceVersion", "resourceVersion"],
  ["FieldPath", "fieldPath"]
] as const

/** The immutable fields that are structs of Go, with the names of their fields there. */
const structs: Readonly<Record<string, ReadonlyArray<readonly [string, string]>>> = {
  involvedObject: referenceNames,
  related: referenceNames,
  source: [
    ["Component", "component"],
    ["Host", "host"]
  ]
}

/** Returns a value as the error shows it: a struct has all its fields, by the names that Go gives them. */
const shownValue = (field: string, value: unknown): unknown => {
  const names = structs[field]
  if (names === undefined || value === null) return value
  return Object.fromEntries(
    names.map(([shown, name]) => [shown, (value as Readonly<Record<string, unknown>>)[name] ?? ""])
  )
}

/** Whether a field is as it was: an absent reference is not an empty one where Go has a pointer. */
const isKept = (event: Event, old: Event, field: keyof Event): boolean =>
  equalAs("core.v1.Event", { [field]: event[field] }, { [field]: old[field] })

export const validateEventUpdate = (event: Event, old: Event, version: EventVersion = "v1"): FieldErrors => {
  const errors = new ErrorList()
  checkEvent(errors, event, version)
  if (version === "v1") return errors.all
  validateObjectMetaUpdate(errors, event.metadata, old.metadata, { standardFinalizers: true })
  if (!isKept(event, old, "series")) checkSeries(errors, event)
  for (const [field, absent] of immutableFields) {
    if (isKept(event, old, field)) continue
    const shown = field === "reportingComponent" ? "reportingController" : field
    errors.invalid(shown, shownValue(field, event[field] ?? absent), "field is immutable")
  }
  return errors.all
}
