import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { cpusOwnedBy, ownedCpus, releaseContainer, withPod } from "../../src/cpu/CpuState.ts"
import { CpuSet, type CpuState } from "../../src/index.ts"
import { noCpuState, validateCpuState, withContainers } from "../../src/rules.ts"
import { cpus } from "./pods.ts"

const all = cpus("0-7")
const freshState: CpuState = { ...noCpuState, shared: all }

/** `shared`, then each pod with its containers and their CPUs, as text. */
const textOf = ({ containers, pods, shared }: CpuState) => ({
  shared: `${shared}`,
  containers: Object.fromEntries(
    [...containers].map(([uid, owned]) => [uid, Object.fromEntries([...owned].map(([name, set]) => [name, `${set}`]))])
  ),
  pods: Object.fromEntries([...pods].map(([uid, set]) => [uid, `${set}`]))
})

describe("the assignments of CPUs", () => {
  it("take CPUs from the shared pool, per pod and container", () => {
    const one = withContainers(freshState, "a", [["x", cpus("1-2")]])
    const two = withContainers(one, "a", [["y", cpus("3")]])
    const three = withContainers(two, "b", [["x", cpus("4-5")]])
    assert.deepStrictEqual(textOf(three), {
      shared: "0,6-7",
      containers: { a: { x: "1-2", y: "3" }, b: { x: "4-5" } },
      pods: {}
    })
    assert.deepStrictEqual(textOf(one).containers, { a: { x: "1-2" } })
    assert.strictEqual(`${cpusOwnedBy(three, "a", "y")}`, "3")
    assert.isUndefined(cpusOwnedBy(three, "b", "y"))
    assert.isUndefined(cpusOwnedBy(three, "c", "x"))
    assert.strictEqual(`${ownedCpus(three)}`, "1-5")
  })

  it("return a container's CPUs, but not those that another container of its pod has too", () => {
    const state = withContainers(freshState, "a", [
      ["init", cpus("1-4")],
      ["main", cpus("1-2")]
    ])
    assert.deepStrictEqual(textOf(releaseContainer(state, "a", "init")), {
      shared: "0,3-7",
      containers: { a: { main: "1-2" } },
      pods: {}
    })
    assert.deepStrictEqual(
      textOf(releaseContainer(releaseContainer(state, "a", "init"), "a", "main")),
      textOf(freshState)
    )
    assert.strictEqual(releaseContainer(state, "a", "other"), state)
    assert.strictEqual(releaseContainer(state, "b", "main"), state)
  })

  it("return the CPUs of a pod managed at pod level with its last container", () => {
    const state = withPod(withContainers(freshState, "b", [["x", cpus("6")]]), "a", cpus("1-4"), [
      ["x", cpus("1-2")],
      ["y", cpus("3")]
    ])
    assert.deepStrictEqual(textOf(state), {
      shared: "0,5,7",
      containers: { b: { x: "6" }, a: { x: "1-2", y: "3" } },
      pods: { a: "1-4" }
    })
    const left = releaseContainer(state, "a", "x")
    assert.deepStrictEqual(textOf(left), {
      shared: "0,5,7",
      containers: { b: { x: "6" }, a: { y: "3" } },
      pods: { a: "1-4" }
    })
    assert.deepStrictEqual(textOf(releaseContainer(left, "a", "y")), {
      shared: "0-5,7",
      containers: { b: { x: "6" } },
      pods: {}
    })
  })
})

describe("a restored state", () => {
  const validated = (state: CpuState, strict = false) => validateCpuState(state, { all, reserved: cpus("0-1"), strict })
  const faultOf = (state: CpuState, strict = false) => {
    const result = validated(state, strict)
    return Result.isFailure(result) ? result.failure : assert.fail("it fits")
  }
  const used = withContainers(freshState, "a", [["x", cpus("2-3")]])

  it("starts with all CPUs without a checkpoint, except strictly reserved ones", () => {
    assert.deepStrictEqual(textOf(Result.getOrThrow(validated(noCpuState))), textOf(freshState))
    assert.strictEqual(`${Result.getOrThrow(validated(noCpuState, true)).shared}`, "2-7")
  })

  it("is unchanged if it fits the machine", () => {
    assert.strictEqual(Result.getOrThrow(validated(used)), used)
    const strict = { ...used, shared: cpus("4-7") }
    assert.strictEqual(Result.getOrThrow(validated(strict, true)), strict)
    const whole = withPod(freshState, "a", cpus("2-4"), [["x", cpus("2-3")]])
    assert.strictEqual(Result.getOrThrow(validated(whole)), whole)
  })

  it("is refused if a container has CPUs and the shared pool is empty", () => {
    assert.strictEqual(faultOf({ ...used, shared: CpuSet.empty }), "default cpuset cannot be empty")
  })

  it("has the reserved CPUs in the shared pool, or none of them if they are strictly reserved", () => {
    assert.strictEqual(
      faultOf({ ...freshState, shared: cpus("1-7") }),
      'not all reserved cpus: "0-1" are present in defaultCpuSet: "1-7"'
    )
    assert.strictEqual(
      faultOf({ ...freshState, shared: cpus("1-7") }, true),
      'some of strictly reserved cpus: "1" are present in defaultCpuSet: "1-7"'
    )
  })

  it("has no exclusive CPUs in the shared pool", () => {
    assert.strictEqual(
      faultOf({ ...used, shared: cpus("0-2,4-7") }),
      'pod: a, container: x cpuset: "2-3" overlaps with default cpuset "0-2,4-7"'
    )
  })

  it("has exactly the machine's CPUs", () => {
    assert.strictEqual(
      faultOf({ ...used, shared: cpus("0-1,4-6") }),
      'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-6"'
    )
    assert.strictEqual(
      faultOf({ ...used, shared: cpus("0-1,4-8") }),
      'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-8"'
    )
    assert.strictEqual(
      faultOf({ ...used, shared: cpus("4-6") }, true),
      'current set of available CPUs "2-7" doesn\'t match with CPUs in state "2-6"'
    )
  })
})
