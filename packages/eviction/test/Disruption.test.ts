import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  decideDisruption,
  defaultDisruptionFlags,
  type ZoneCounts,
  type ZoneState,
  type ZoneStates
} from "../src/rules.ts"

const decide = (before: Readonly<Record<string, ZoneState>>, counts: Readonly<Record<string, ZoneCounts>>) =>
  decideDisruption(new Map(Object.entries(before)), new Map(Object.entries(counts)), defaultDisruptionFlags)

const deadZone = { ready: 0, notReady: 3 }
const liveZone = { ready: 3, notReady: 0 }

const zone = fc.constantFrom("a", "b", "c", "d")
const state = fc.constantFrom<ZoneState>("Initial", "Normal", "PartialDisruption", "FullDisruption")
const counts = fc
  .record({ ready: fc.nat(80), notReady: fc.nat(80) })
  .filter(({ notReady, ready }) => ready + notReady > 0)

describe("decideDisruption", () => {
  it("leaves the limiters of dead zones stopped when a new zone arrives alive", () => {
    const decision = decide({ a: "FullDisruption", b: "FullDisruption" }, { a: deadZone, b: deadZone, c: liveZone })
    assert.strictEqual(decision.mode, "perZone")
    assert.deepStrictEqual([...decision.rates], [["c", 0.1]])
  })

  it("forgets vanished zones at once, and does not count them as having been alive", () => {
    const decision = decide({ a: "FullDisruption", b: "Normal" }, { a: deadZone })
    assert.strictEqual(decision.mode, "none")
    assert.deepStrictEqual(decision.vanished, ["b"])
    assert.deepStrictEqual([...decision.states], [["a", "FullDisruption"]])
    assert.deepStrictEqual(decision.health.get("b"), { size: 0, health: 100, notReady: 0 })
  })

  it("changes no rate when no zone changes state, and reports the counts", () => {
    const decision = decide({ a: "Normal", b: "FullDisruption" }, { a: liveZone, b: deadZone })
    assert.deepStrictEqual([decision.mode, decision.rates.size, decision.vanished.length], ["none", 0, 0])
    assert.deepStrictEqual(decision.health.get("a"), { size: 3, health: 100, notReady: 0 })
    assert.deepStrictEqual(decision.health.get("b"), { size: 3, health: 0, notReady: 3 })
  })

  it("changes nothing while all zones stay dead", () => {
    const decision = decide({ a: "FullDisruption" }, { a: deadZone })
    assert.deepStrictEqual([decision.mode, decision.rates.size], ["none", 0])
  })

  it("gives a zone that is seen for the first time the rate of its state, and walks zones by name", () => {
    const decision = decide({}, { b: liveZone, a: { ready: 1, notReady: 60 }, c: liveZone })
    assert.strictEqual(decision.mode, "perZone")
    assert.deepStrictEqual(
      [...decision.rates],
      [
        ["a", 0.01],
        ["b", 0.1],
        ["c", 0.1]
      ]
    )
    const gone = decide({ c: "Normal", b: "Normal", a: "Normal" }, {})
    assert.deepStrictEqual(gone.vanished, ["a", "b", "c"])
  })

  it("returns an empty decision without zones", () => {
    const decision = decide({ a: "Normal" }, {})
    assert.deepStrictEqual([decision.mode, decision.states.size, decision.rates.size], ["none", 0, 0])
  })

  it("enters all-zones-down exactly when all are dead and were not, leaves it when all were and one has a ready member", () => {
    fc.assert(
      fc.property(fc.dictionary(zone, state), fc.dictionary(zone, counts), (before, seen) => {
        const decision = decide(before, seen)
        const zones = Object.keys(seen)
        const isDead = (name: string) => seen[name]?.ready === 0
        const wasDead = (name: string) => before[name] === "FullDisruption"
        assert.strictEqual(decision.mode === "enterAllZonesDown", zones.every(isDead) && !zones.every(wasDead))
        assert.strictEqual(decision.mode === "exitAllZonesDown", zones.every(wasDead) && !zones.every(isDead))
        assert.deepStrictEqual([...decision.states.keys()], zones.toSorted())
        const changed = zones.filter((name) => (before[name] ?? "Initial") !== decision.states.get(name))
        if (decision.mode === "none") assert.strictEqual(changed.length, 0)
        if (decision.mode === "perZone") assert.deepStrictEqual([...decision.rates.keys()], changed.toSorted())
        for (const [name, rate] of decision.rates) {
          if (decision.mode === "enterAllZonesDown") assert.strictEqual(rate, 0)
          else if (decision.states.get(name) !== "PartialDisruption") assert.strictEqual(rate, 0.1)
          else assert.strictEqual(rate, (decision.health.get(name)?.size ?? 0) > 50 ? 0.01 : 0)
        }
      })
    )
  })

  it("does not depend on the order of the zones", () => {
    fc.assert(
      fc.property(fc.dictionary(zone, state), fc.dictionary(zone, counts), (before, seen) => {
        const reversed = <A>(record: Readonly<Record<string, A>>) => new Map(Object.entries(record).toReversed())
        const other = decideDisruption(reversed(before) as ZoneStates, reversed(seen), defaultDisruptionFlags)
        assert.deepStrictEqual(other, decide(before, seen))
      })
    )
  })
})
