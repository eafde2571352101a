import { assert, describe, it } from "@effect/vitest"
import type { Container, Pod } from "@rollcall/api"
import { divisionError, partitionPodMemory } from "../../src/memory/partitionPodMemory.ts"
import { podOf, gates as released } from "../fixtures.ts"

const gates = { ...released, PodLevelResourceManagers: true }

/** Asks for its own: memory and, if given, huge pages, both in bytes. Without any it shares. */
const container = (name: string, memory?: number, pages?: number): Container => {
  const amounts = {
    cpu: "1",
    ...(memory === undefined ? {} : { memory: `${memory}` }),
    ...(pages === undefined ? {} : { "hugepages-2Mi": `${pages}` })
  }
  return memory === undefined ? { name } : { name, resources: { requests: amounts, limits: amounts } }
}
const sidecar = (name: string, memory?: number): Container => ({ ...container(name, memory), restartPolicy: "Always" })

const wholePod = (
  total: Readonly<Record<string, string>>,
  containers: ReadonlyArray<Container>,
  initContainers?: ReadonlyArray<Container>
): Pod => {
  const resources = { requests: { cpu: "4", ...total }, limits: { cpu: "4", ...total } }
  return {
    ...podOf("pod", {}),
    spec: { containers, ...(initContainers === undefined ? {} : { initContainers }), resources }
  }
}

describe("a pod with pod-level memory", () => {
  const error = (memory: number, containers: ReadonlyArray<Container>, initContainers?: ReadonlyArray<Container>) =>
    divisionError(wholePod({ memory: `${memory}` }, containers, initContainers), gates)

  it("has memory left for containers without their own", () => {
    const spent =
      "pod rejected, sum of exclusive container memory requests equals pod budget, leaving no memory for shared containers"
    assert.isUndefined(error(8, [container("a", 5), container("b")]))
    assert.isUndefined(error(8, [container("a", 5), container("b", 3)]))
    assert.strictEqual(error(8, [container("a", 5), container("b", 3), container("c")]), spent)
    assert.strictEqual(error(8, [container("c"), container("a", 8)]), spent)
    assert.strictEqual(error(8, [container("a", 5)], [sidecar("s"), sidecar("t", 3)]), spent)
    assert.isUndefined(error(8, [container("a", 5)], [sidecar("s", 3)]))
  })

  it("has enough memory for each init container beside the sidecars before it", () => {
    assert.isUndefined(error(8, [container("a", 1)], [sidecar("s", 3), container("i", 5)]))
    assert.isUndefined(error(8, [container("a", 1)], [container("i", 8), sidecar("s", 3)]))
    assert.strictEqual(
      error(8, [container("a", 1)], [sidecar("s", 3), container("i", 6)]),
      "pod rejected, largest exclusive init container requests 6 of memory, but only 5 available"
    )
    assert.strictEqual(
      error(8, [container("a", 1)], [sidecar("s", 8), container("i")]),
      "pod rejected, pod has shared init containers but no memory available for them"
    )
    assert.isUndefined(error(8, [container("a", 1)], [sidecar("s", 7), container("i")]))
    // What an init container has does not last: it leaves room for those that share.
    assert.isUndefined(error(8, [container("a")], [container("i", 8)]))
  })

  it("is checked per memory type, in the order of names", () => {
    const pages = { memory: "8", "hugepages-2Mi": "2" }
    assert.strictEqual(
      divisionError(wholePod(pages, [container("a", 5, 2), container("b")]), gates),
      "pod rejected, sum of exclusive container hugepages-2Mi requests equals pod budget, leaving no memory for shared containers"
    )
    assert.strictEqual(
      divisionError(wholePod(pages, [container("a")], [container("i", 9, 3)]), gates),
      "pod rejected, largest exclusive init container requests 3 of hugepages-2Mi, but only 2 available"
    )
  })

  it("requests whole bytes, and so do its containers", () => {
    const failure = "[memorymanager] failed to represent quantity as int64"
    assert.strictEqual(divisionError(wholePod({ memory: "1500m" }, [container("a")]), gates), failure)
    const amounts = { cpu: "1", memory: "1500m" }
    const odd = { name: "a", resources: { requests: amounts, limits: amounts } }
    assert.strictEqual(divisionError(wholePod({ memory: "8" }, [odd]), gates), failure)
  })
})

describe("the memory blocks of a pod with pod-level memory", () => {
  const divided = (
    total: Readonly<Record<string, number>>,
    containers: ReadonlyArray<Container>,
    initContainers?: ReadonlyArray<Container>
  ) => {
    const pod = wholePod({ memory: `${total.memory}` }, containers, initContainers)
    return Object.fromEntries(
      [...partitionPodMemory(pod, total, [0, 1], gates)].map(([name, blocks]) => {
        for (const { numaAffinity } of blocks) assert.deepStrictEqual(numaAffinity, [0, 1])
        return [name, Object.fromEntries(blocks.map(({ size, type }) => [type, size]))]
      })
    )
  }

  it("are one for each container with a request, and the rest for the others", () => {
    assert.deepStrictEqual(divided({ memory: 8 }, [container("a", 5), container("b"), container("c")]), {
      a: { memory: 5 },
      b: { memory: 3 },
      c: { memory: 3 }
    })
    assert.deepStrictEqual(divided({ memory: 8 }, [container("a", 5), container("b", 3)]), {
      a: { memory: 5 },
      b: { memory: 3 }
    })
  })

  it("are for an init container its request, or all that the sidecars before it leave", () => {
    const init = [container("i"), sidecar("s", 2), container("j"), container("k", 4), sidecar("t")]
    assert.deepStrictEqual(divided({ memory: 8 }, [container("a", 5)], init), {
      i: { memory: 8 },
      s: { memory: 2 },
      j: { memory: 6 },
      k: { memory: 4 },
      t: { memory: 1 },
      a: { memory: 5 }
    })
  })

  it("leave out memory types of which nothing is left", () => {
    assert.deepStrictEqual(divided({ memory: 8, "hugepages-2Mi": 2 }, [container("a", 5, 2), container("b")]), {
      a: { memory: 5, "hugepages-2Mi": 2 },
      b: { memory: 3 }
    })
    assert.deepStrictEqual(divided({ memory: 5 }, [container("a", 5), container("b")]), { a: { memory: 5 }, b: {} })
  })
})
