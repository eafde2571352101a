import { type Event, type Kind, type KubeObject, kinds, type Resource } from "@rollcall/api"
import { validateEvent, validateEventUpdate } from "@rollcall/api/validation"
import { defineCustom } from "./defineCustom.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"
import { versionsOf } from "./versions.ts"

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

/** The fields that the core group always writes, and events.k8s.io only if they say something. */
const reporterFields: ReadonlyArray<string> = ["reportingComponent", "reportingInstance"]

const view: ViewOf = {
  of: "Event",
  toStorage: (object) => {
    const stored: Record<string, unknown> = { ...renameFields(object, storedNames, "v1") }
    for (const field of reporterFields) stored[field] ??= ""
    return stored as unknown as KubeObject
  },
  fromStorage: (object) => {
    const said = Object.entries(object).filter(([field, value]) => value !== "" || !reporterFields.includes(field))
    return renameFields(Object.fromEntries(said) as unknown as KubeObject, shownNames, "events.k8s.io/v1")
  }
}

export const eventVersions = versionsOf("Event", "events.k8s.io/v1", "v1", view)

/** The fields that select Events of this group. The source is none of them, unlike in the core group. */
const selectable = [
  "metadata.name",
  "metadata.namespace",
  "reason",
  "reportingController",
  "type",
  ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
    (field) => `regarding.${field}`
  )
]

const toStored = (object: KubeObject) => view.toStorage(object) as Event

const { fields = {} }: Kind<Event> = kinds.Event

/** Returns the value of a field for field selectors, of which the core group has the same under its own names. */
const fieldOf = (object: KubeObject, field: string): string | undefined => {
  const [parent = "", ...rest] = field.split(".")
  return fields[[storedNames.get(parent) ?? parent, ...rest].join(".")]?.(toStored(object))
}

const definition: KindDefinition = defineCustom(resource, {
  view,
  versions: eventVersions,
  validate: (object) => validateEvent(toStored(object), "events.k8s.io/v1"),
  validateUpdate: (object, stored) => validateEventUpdate(toStored(object), toStored(stored), "events.k8s.io/v1"),
  selectable,
  fieldOf,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true
})

/**
 * Events of events.k8s.io/v1. It is no entry of the table of kinds: a server adds it when it starts, after the table's
 * kinds. Like those of the core group they are not read from a cache.
 */
export const eventsView: KindDefinition = { ...definition, isUncached: true }
