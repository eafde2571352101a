import type { KubeObject, Resource } from "@rollcall/api"
import {
  ErrorList,
  type FieldErrors,
  isQualifiedName,
  nameIsPathSegment,
  validateObjectMeta,
  validateObjectMetaUpdate
} from "@rollcall/api/validation"
import { defineCustom, type KindDefinition, type ViewOf } from "./KindDefinition.ts"

/**
 * Events of events.k8s.io/v1: the Events of the core group with renamed fields. Upstream:
 * pkg/apis/events/v1/conversion.go.
 */

const resource: Resource = {
  kind: "Event",
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  singular: "event",
  shortNames: ["ev"],
  namespaced: true
}

/** The renamed fields, by their names in the core group. */
const renamed: ReadonlyArray<readonly [stored: string, shown: string]> = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"]
]

const toShown: ReadonlyMap<string, string> = new Map(renamed)
const toStored: ReadonlyMap<string, string> = new Map(renamed.map(([stored, shown]) => [shown, stored]))

const withNames = (object: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject => {
  const { apiVersion: _apiVersion, kind, metadata, ...fields } = object
  const named = Object.entries(fields).map(([field, value]) => [names.get(field) ?? field, value] as const)
  return { apiVersion, kind, metadata, ...Object.fromEntries(named) }
}

const view: ViewOf = {
  of: "Event",
  toStorage: (object) => withNames(object, toStored, "v1"),
  fromStorage: (object) => withNames(object, toShown, "events.k8s.io/v1")
}

/** An event in this form, with the fields that validation reads. */
interface NewEvent extends KubeObject {
  readonly eventTime?: string | null
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: { readonly namespace?: string; readonly [field: string]: unknown }
  readonly note?: string
  readonly type?: string
  readonly deprecatedFirstTimestamp?: string | null
  readonly deprecatedLastTimestamp?: string | null
  readonly deprecatedCount?: number
  readonly deprecatedSource?: { readonly component?: string; readonly host?: string }
  readonly related?: unknown
}

const MOST = 128
const MOST_NOTE = 1024

const checkText = (errors: ErrorList, field: string, value = ""): void => {
  if (value === "") errors.required(field)
  if (value.length > MOST) errors.invalid(field, "", `can have at most ${MOST} characters`)
}

const unset = "needs to be unset"

/** Upstream: pkg/apis/core/validation/events.go; errors in core/v1 fields have the core/v1 paths. */
const validate = (object: KubeObject): FieldErrors => {
  const event = object as NewEvent
  const errors = new ErrorList()
  const namespace = event.metadata.namespace ?? ""
  const subject = event.regarding?.namespace ?? ""
  if (subject === "" ? namespace !== "" && namespace !== "default" : namespace !== subject) {
    errors.invalid("involvedObject.namespace", subject, "does not match event.namespace")
  }
  validateObjectMeta(errors, event.metadata, { namespaced: true, name: nameIsPathSegment })
  const { deprecatedSource: source = {}, reportingController: controller = "" } = event
  if (event.eventTime === undefined || event.eventTime === null) errors.required("eventTime")
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.invalid("type", "", `has invalid value: ${event.type ?? ""}`)
  }
  if (event.deprecatedFirstTimestamp) errors.invalid("firstTimestamp", "", unset)
  if (event.deprecatedLastTimestamp) errors.invalid("lastTimestamp", "", unset)
  if ((event.deprecatedCount ?? 0) !== 0) errors.invalid("count", "", unset)
  if ((source.component ?? "") !== "" || (source.host ?? "") !== "") errors.invalid("source", "", unset)
  if (controller === "") errors.required("reportingController")
  errors.invalidEach("reportingController", controller, isQualifiedName(controller))
  checkText(errors, "reportingInstance", event.reportingInstance)
  checkText(errors, "action", event.action)
  checkText(errors, "reason", event.reason)
  if ((event.note ?? "").length > MOST_NOTE) errors.invalid("message", "", `can have at most ${MOST_NOTE} characters`)
  return errors.all
}

/** Validates an update: only the series of an event may change; core/v1 events may be rewritten freely. */
const validateUpdate = (object: KubeObject, stored: KubeObject): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, object.metadata, stored.metadata)
  return errors.all
}

const fieldOf = (object: KubeObject, field: string): string | undefined => {
  const { deprecatedSource, regarding, ...event } = object as NewEvent
  const [subject, part = ""] = field.split(".")
  if (subject === "regarding" || subject === "involvedObject") return String(regarding?.[part] ?? "")
  switch (field) {
    case "reason":
    case "type":
    case "reportingController":
      return event[field]
    case "reportingComponent":
      return event.reportingController
    case "source":
      return deprecatedSource?.component || event.reportingController
    default:
      return undefined
  }
}

/** The definition for servers that other processes reach. */
export const eventsView: KindDefinition = defineCustom(resource, {
  view,
  validate,
  validateUpdate,
  fieldOf,
  allowUnconditionalUpdate: true
})
