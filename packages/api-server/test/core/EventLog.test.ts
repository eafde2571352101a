import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as fc from "fast-check"
import { EventLog, MAX_HISTORY_SIZE } from "../../src/core/watch/EventLog.ts"
import type { Occurrence } from "../../src/core/watch/Occurrence.ts"

const object = (revision: number, place: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: String(revision), labels: { place } }
})

const occurrence = (revision: number, place = "", before?: string, size = 0): Occurrence => ({
  revision,
  event: { type: "MODIFIED", object: object(revision, place) },
  previous: before === undefined ? undefined : object(revision, before),
  size
})

const index = { field: "place", valueOf: ({ metadata }: KubeObject) => metadata.labels?.place ?? "" }

const revisions = (log: EventLog, from: number, value?: string) => {
  const seen: Array<number> = []
  log.visit(from, { indexedValue: value, name: undefined }, (one) => seen.push(one.revision))
  return seen
}

describe("EventLog", () => {
  it("keeps its capacity of delivered events, and reports from which revision it is complete", () => {
    const log = new EventLog(100, 1000)
    for (let revision = 1; revision <= 250; revision++) log.append(occurrence(revision), log.end)
    assert.deepStrictEqual([log.end - log.first, log.floor], [100, 150])
    assert.strictEqual(log.at(log.after(200)).revision, 201)
    assert.deepStrictEqual([log.after(0), log.after(250)], [log.first, log.end])
    log.reset(250)
    assert.deepStrictEqual([log.first, log.floor], [log.end, 250])
  })

  it("keeps fewer of large objects, but all that are not yet delivered", () => {
    const log = new EventLog(100, 1000)
    const size = MAX_HISTORY_SIZE / 10
    for (let revision = 1; revision <= 50; revision++) log.append(occurrence(revision, "", undefined, size), log.end)
    assert.deepStrictEqual([log.end - log.first, log.floor], [10, 40])
    const { end } = log
    for (let revision = 51; revision <= 70; revision++) log.append(occurrence(revision, "", undefined, size), end)
    assert.deepStrictEqual([log.end - log.first, log.floor], [20, 50])
    for (let revision = 71; revision <= 171; revision++) log.append(occurrence(revision), log.end)
    assert.deepStrictEqual([log.end - log.first, log.floor], [100, 71])
  })

  it("keeps undelivered events beyond its capacity, but not for ever", () => {
    const log = new EventLog(10, 300)
    for (let revision = 1; revision <= 400; revision++) log.append(occurrence(revision), 0)
    assert.deepStrictEqual([log.end - log.first, log.first, log.floor], [300, 100, 100])
    assert.deepStrictEqual(revisions(log, log.after(395)), [396, 397, 398, 399, 400])
  })

  it("finds by the index the same as by a full scan", () => {
    const place = fc.constantFrom("a", "b", "c")
    const step = fc.tuple(place, fc.option(place, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.nat(400), (steps, after) => {
        const log = new EventLog(64, 1000, index)
        for (const [at, [now, before]] of steps.entries()) log.append(occurrence(at + 1, now, before), log.end)
        const from = log.after(Math.max(after, log.floor))
        for (const value of ["a", "b", "c", "none"]) {
          const expected: Array<number> = []
          log.visit(from, { indexedValue: undefined, name: undefined }, ({ event, previous, revision }) => {
            const concerned = [index.valueOf(event.object), previous === undefined ? "" : index.valueOf(previous)]
            if (concerned.includes(value)) expected.push(revision)
          })
          assert.deepStrictEqual(revisions(log, from, value), expected)
        }
      })
    )
  })

  it("finds the events of one name among quiet heartbeats, in order, and also once they are released", () => {
    const names = ["a", "b", "c"]
    const named = { field: "metadata.name", valueOf: ({ metadata }: KubeObject) => metadata.name ?? "" }
    const of = (revision: number, name: string): Occurrence => ({
      ...occurrence(revision),
      event: { type: "MODIFIED", object: { apiVersion: "v1", kind: "Node", metadata: { name } } }
    })
    const step = fc.tuple(fc.constantFrom(0, 1, 2), fc.constantFrom("event", "quiet", "quiet", "release"))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(200), (steps, after) => {
        const log = new EventLog(64, 1000, named)
        const quiet = new Set<number>()
        log.setQuietEvents({
          make: (id, revision) => of(revision, names[id] as string),
          nameOf: (id) => names[id] as string,
          idOf: (name) => (quiet.has(names.indexOf(name)) ? names.indexOf(name) : undefined)
        })
        for (const [at, [id, what]] of steps.entries()) {
          if (what === "quiet") {
            quiet.add(id)
            log.appendQuiet(id, at + 1, at)
            continue
          }
          // A row leaves before anybody else writes the object.
          if (quiet.delete(id)) log.release(id)
          if (what === "event") log.append(of(at + 1, names[id] as string), log.end)
        }
        const from = log.after(Math.max(after, log.floor))
        for (const name of names) {
          const seen: Array<number> = []
          log.visit(from, { indexedValue: name, name }, (one) => {
            if (one.event.object.metadata.name === name) seen.push(one.revision)
          })
          const expected: Array<number> = []
          for (let position = from; position < log.end; position++) {
            const one = log.at(position)
            if (one.event.object.metadata.name === name) expected.push(one.revision)
          }
          assert.deepStrictEqual(seen, expected)
        }
      })
    )
  })
})
