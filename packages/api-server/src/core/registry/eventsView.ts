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

/*
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

/** The fields that have different names in the core group (`stored`) and in events.k8s.io (`shown`). */
const renamedFields: ReadonlyArray<readonly [stored: string, shown: string]> = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"]
]

const shownNames: ReadonlyMap<string, string> = new Map(renamedFields)
const storedNames: ReadonlyMap<string, string> = new Map(renamedFields.map(([stored, shown]) => [shown, stored]))

const renameFields = (object: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject => {
  const { apiVersion: _apiVersion, kind, metadata, ...fields } = object
  const entries = Object.entries(fields).map(([field, value]) => [names.get(field) ?? field, value] as const)
  return { apiVersion, kind, metadata, ...Object.fromEntries(entries) }
}

const view: ViewOf = {
  of: "Event",
  toStorage: (object) => renameFields(object, storedNames, "v1"),
  fromStorage: (object) => renameFields(object, shownNames, "events.k8s.io/v1")
}

/** An Event of events.k8s.io/v1, with the fields that validation reads. */
interface EventsV1Event extends KubeObject {
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

/** The maximum length of `action`, `reason` and `reportingInstance`, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 128
/** The maximum length of `note`, in UTF-16 code units. */
const MAX_NOTE_LENGTH = 1024

const checkText = (errors: ErrorList, field: string, value = ""): void => {
  if (value === "") errors.required(field)
  if (value.length > MAX_TEXT_LENGTH) errors.invalid(field, "", `can have at most ${MAX_TEXT_LENGTH} characters`)
}

const mustBeUnset = "needs to be unset"

/**
 * Validates a new event. The errors name renamed fields as core/v1 does, as kube-apiserver's do. Upstream:
 * pkg/apis/core/validation/events.go.
 */
const validate = (object: KubeObject): FieldErrors => {
  const event = object as EventsV1Event
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
  if (event.deprecatedFirstTimestamp) errors.invalid("firstTimestamp", "", mustBeUnset)
  if (event.deprecatedLastTimestamp) errors.invalid("lastTimestamp", "", mustBeUnset)
  if ((event.deprecatedCount ?? 0) !== 0) errors.invalid("count", "", mustBeUnset)
  if ((source.component ?? "") !== "" || (source.host ?? "") !== "") errors.invalid("source", "", mustBeUnset)
  if (controller === "") errors.required("reportingController")
  errors.invalidEach("reportingController", controller, isQualifiedName(controller))
  checkText(errors, "reportingInstance", event.reportingInstance)
  checkText(errors, "action", event.action)
  checkText(errors, "reason", event.reason)
  if ((event.note ?? "").length > MAX_NOTE_LENGTH)
    errors.invalid("message", "", `can have at most ${MAX_NOTE_LENGTH} characters`)
  return errors.all
}

/**
 * Validates an update: the immutable fields of its metadata must not change. kube-apiserver also refuses, through this
 * group, any change of other fields than the series.
 */
const validateUpdate = (object: KubeObject, stored: KubeObject): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, object.metadata, stored.metadata)
  return errors.all
}

const fieldOf = (object: KubeObject, field: string): string | undefined => {
  const { deprecatedSource, regarding, ...event } = object as EventsV1Event
  const [parent, child = ""] = field.split(".")
  if (parent === "regarding" || parent === "involvedObject") return String(regarding?.[child] ?? "")
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

/**
 * Events of events.k8s.io/v1. It is no entry of the table of kinds: a server adds it when it starts, after the table's
 * kinds.
 */
export const eventsView: KindDefinition = defineCustom(resource, {
  view,
  validate,
  validateUpdate,
  fieldOf,
  allowUnconditionalUpdate: true
})
