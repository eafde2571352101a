import { assert, describe, it } from "@effect/vitest"
import type { MemoryBlock } from "../../src/index.ts"
import { maskOf } from "../../src/masks.ts"
import { makeInitReuse, shrunkInitBlocks } from "../../src/memory/InitReuse.ts"
import { podOf } from "../fixtures.ts"

const block = (size: number, nodes: ReadonlyArray<number> = [0], type = "memory"): MemoryBlock => ({
  numaAffinity: nodes,
  type,
  size
})

const pod = podOf("pod", { a: {}, b: {} }, { first: {}, side: { sidecar: true }, second: {} })
const [first, side, second] = pod.spec.initContainers ?? []
const [a, b] = pod.spec.containers
if (first === undefined || side === undefined || second === undefined || a === undefined || b === undefined) {
  throw new Error("five containers")
}

describe("reusable memory of init containers", () => {
  it("is the maximum that one of them had on the same nodes, per memory type", () => {
    const reuse = makeInitReuse()
    const left = (nodes: ReadonlyArray<number>, kind = "memory") => reuse.of("pod")(maskOf(nodes), kind)
    assert.strictEqual(left([0]), 0)
    reuse.note(pod, first, [block(5), block(2, [0], "hugepages-2Mi")])
    reuse.note(pod, second, [block(3), block(4, [0, 1])])
    assert.deepStrictEqual([left([0]), left([0], "hugepages-2Mi"), left([0, 1]), left([1])], [5, 2, 4, 0])
    reuse.note(pod, second, [block(7)])
    assert.strictEqual(left([0]), 7)
  })

  it("is used up by regular containers and sidecars", () => {
    const reuse = makeInitReuse()
    const left = () => reuse.of("pod")(maskOf([0]), "memory")
    reuse.note(pod, side, [block(4)])
    assert.strictEqual(left(), 0)
    reuse.note(pod, first, [block(5)])
    reuse.note(pod, side, [block(2)])
    assert.strictEqual(left(), 3)
    reuse.note(pod, a, [block(2, [1])])
    assert.strictEqual(left(), 3)
    reuse.note(pod, a, [block(2)])
    reuse.note(pod, b, [block(9)])
    assert.strictEqual(left(), 0)
  })

  it("belongs to one pod at a time, until it is returned", () => {
    const reuse = makeInitReuse()
    const of = (uid: string) => reuse.of(uid)(maskOf([0]), "memory")
    const other = { ...pod, metadata: { ...pod.metadata, uid: "other" } }
    reuse.note(pod, first, [block(5)])
    assert.deepStrictEqual([of("pod"), of("other")], [5, 0])
    reuse.forget("other")
    assert.strictEqual(of("pod"), 5)
    reuse.note(other, first, [block(2)])
    assert.deepStrictEqual([of("pod"), of("other")], [0, 2])
    reuse.forget("other")
    assert.strictEqual(of("other"), 0)
    reuse.note(other, first, [block(1)])
    assert.strictEqual(of("other"), 1)
  })
})

describe("blocks of init containers", () => {
  const shrunk = (
    container: typeof first,
    taken: ReadonlyArray<MemoryBlock>,
    held: Readonly<Record<string, ReadonlyArray<MemoryBlock>>>
  ) => Object.fromEntries(shrunkInitBlocks(pod, container, taken, (name) => held[name]))

  it("shrink by the memory that a later container reuses, in the order of the containers", () => {
    assert.deepStrictEqual(shrunk(a, [block(4)], { first: [block(3)], second: [block(3)] }), {
      first: [block(0)],
      second: [block(2)]
    })
    assert.deepStrictEqual(shrunk(a, [block(2)], { first: [block(3)], second: [block(3)] }), { first: [block(1)] })
  })

  it("shrink per memory type, and only on the same nodes", () => {
    const pages = block(2, [0], "hugepages-2Mi")
    assert.deepStrictEqual(shrunk(a, [block(1), block(1, [0], "hugepages-2Mi")], { first: [pages, block(3)] }), {
      first: [block(1, [0], "hugepages-2Mi"), block(2)]
    })
    assert.deepStrictEqual(shrunk(a, [block(1)], { first: [pages, block(3)] }), { first: [pages, block(2)] })
    assert.deepStrictEqual(shrunk(a, [block(2, [0, 1])], { first: [block(3)] }), {})
    assert.deepStrictEqual(shrunk(a, [pages], { first: [block(3)] }), {})
  })

  it("are unchanged for sidecars, the container itself and later ones", () => {
    const held = { first: [block(3)], side: [block(3)], second: [block(3)] }
    assert.deepStrictEqual(shrunk(second, [block(9)], held), { first: [block(0)] })
    assert.deepStrictEqual(shrunk(first, [block(9)], held), {})
    assert.deepStrictEqual(shrunk(a, [block(9)], { side: [block(3)] }), {})
    const { initContainers: _, ...spec } = pod.spec
    assert.strictEqual(shrunkInitBlocks({ ...pod, spec }, a, [block(1)], () => [block(1)]).size, 0)
  })
})
