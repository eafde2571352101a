import { assert, describe, it } from "vitest"
import {
  addTaints,
  diffTaints,
  findUntoleratedTaint,
  formatTaint,
  minTolerationSeconds,
  removeTaints,
  type Taint,
  taintsWithEffect
} from "../src/index.ts"

const older: Taint = { key: "a", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" }
const newer: Taint = { ...older, timeAdded: "2026-01-01T00:05:00Z" }
const other: Taint = { key: "b", effect: "NoSchedule", value: "x" }

describe("taints", () => {
  it("are replaced in place when any field differs, so that the time is updated", () => {
    assert.deepStrictEqual(addTaints([older, other], [newer]), [newer, other])
    assert.deepStrictEqual(addTaints([other], [older, { ...other, value: "y" }]), [{ ...other, value: "y" }, older])
  })

  it("return the same list when nothing changes", () => {
    const list = [older, other]
    assert.strictEqual(addTaints(list, [{ ...older }]), list)
    assert.strictEqual(removeTaints(list, [{ key: "a", effect: "NoSchedule" }]), list)
    assert.isUndefined(removeTaints(undefined, [older]))
  })

  it("are identified by key and effect, and the others keep their order", () => {
    const third: Taint = { key: "a", effect: "NoSchedule" }
    assert.deepStrictEqual(removeTaints([older, other, third], [newer]), [other, third])
    assert.deepStrictEqual(diffTaints([newer, third], [older, other]), { toAdd: [third], toRemove: [other] })
    assert.deepStrictEqual(taintsWithEffect([older, other, third], "NoSchedule"), [other, third])
  })

  it("print as on the command line", () => {
    assert.strictEqual(formatTaint(older), "a:NoExecute")
    assert.strictEqual(formatTaint(other), "b=x:NoSchedule")
  })

  it("are filtered by the caller's predicate", () => {
    const hard = (taint: Taint) => taint.effect !== "PreferNoSchedule"
    const soft: Taint = { key: "c", effect: "PreferNoSchedule" }
    assert.isUndefined(findUntoleratedTaint([soft], [], hard))
    assert.strictEqual(findUntoleratedTaint([soft, other], [{ key: "c", operator: "Exists" }], hard), other)
  })

  it("are tolerated for the shortest of all times", () => {
    assert.strictEqual(minTolerationSeconds([{ tolerationSeconds: 300 }, {}, { tolerationSeconds: 20 }]), 20)
  })
})
