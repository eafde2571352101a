import { assert, describe, it } from "vitest"
import type { Event } from "../../src/index.ts"
import { fieldErrorText, validateEventUpdate } from "../../src/validation/index.ts"

const stored: Event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e", namespace: "default", uid: "u", resourceVersion: "1" },
  involvedObject: {},
  eventTime: "2026-01-01T00:00:00.000000Z",
  action: "a",
  reason: "r",
  type: "Normal",
  reportingComponent: "c",
  reportingInstance: "i"
}

const faultsOf = (event: Event, old: Event): ReadonlyArray<string> =>
  validateEventUpdate(event, old, "events.k8s.io/v1").map(fieldErrorText)

const immutable = (field: string, value: string): string => `${field}: Invalid value: ${value}: field is immutable`

describe("an update of an event", () => {
  it("tells an empty reference from an absent one where Go has a pointer", () => {
    const empty = '{"Kind":"","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}'
    assert.deepStrictEqual(faultsOf({ ...stored, related: {} }, stored), [immutable("related", empty)])
    assert.deepStrictEqual(faultsOf(stored, { ...stored, related: {} }), [immutable("related", "null")])
    assert.deepStrictEqual(faultsOf({ ...stored, related: {} }, { ...stored, related: {} }), [])
  })

  it("checks a series that it adds", () => {
    const faults = faultsOf({ ...stored, series: {} }, stored)
    assert.deepStrictEqual(faults, [
      'series.count: Invalid value: "": should be at least 2',
      "series.lastObservedTime: Required value"
    ])
  })
})
