import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import * as fc from "fast-check"
import { ListPositions } from "../src/ListPositions.ts"
import { isListedBefore } from "../src/listOrder.ts"

const object = (namespace: string, name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name }
})

/** Three namespaces; enough objects for many binary searches before there is a table. */
const listed = ["a", "a-b", "b"]
  .flatMap((namespace) => Array.from({ length: 90 }, (_, at) => object(namespace, `pod-${at}`)))
  .sort((one, other) => (isListedBefore(one, other) ? -1 : 1))

const place = fc.tuple(fc.constantFrom("a", "a-b", "b", "c"), fc.nat(100))

describe("ListPositions", () => {
  it("finds each object but those removed, before and after it has a table", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), place), { maxLength: 12 }), (steps) => {
        const objects: Array<KubeObject | undefined> = [...listed]
        const positions = new ListPositions(objects, objects.length)
        for (const [removes, [namespace, at]] of steps) {
          const expected = objects.findIndex(
            (each) => each?.metadata.namespace === namespace && each.metadata.name === `pod-${at}`
          )
          const found = positions.find(`pod-${at}`, namespace)
          assert.strictEqual(found ?? -1, expected)
          if (found === undefined || !removes) continue
          assert.isTrue(positions.remove(found))
          objects[found] = undefined
        }
      })
    )
  })

  it("finds the same in lists of the same objects, whatever was removed from another", () => {
    const changedPlace = fc.constant<[string, number]>(["b", 100])
    const step = fc.tuple(fc.nat(2), fc.boolean(), fc.oneof(place, changedPlace))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(269), (steps, changed) => {
        const other = object("b", "pod-other")
        const again = listed.with(changed, { ...(listed[changed] as KubeObject) })
        const lists = [listed, again, listed.with(269, other)].map((list) => {
          const objects: Array<KubeObject | undefined> = [...list]
          return { objects, positions: new ListPositions(objects, objects.length) }
        })
        for (const [at, removes, [namespace, number]] of steps) {
          const { objects, positions } = lists[at] as (typeof lists)[number]
          const name = number === 100 ? "pod-other" : `pod-${number}`
          const expected = objects.findIndex(
            (each) => each?.metadata.namespace === namespace && each.metadata.name === name
          )
          const found = positions.find(name, namespace)
          assert.strictEqual(found ?? -1, expected)
          if (found !== undefined && removes && positions.remove(found)) objects[found] = undefined
        }
        for (const { objects, positions } of lists) {
          const left = positions.namespaces().map((run) => [run.namespace, run.left])
          const counts = ["a", "a-b", "b"].map((namespace) => [
            namespace,
            objects.filter((each) => each?.metadata.namespace === namespace).length
          ])
          assert.sameDeepMembers(left, counts)
        }
      })
    )
  })

  it("reads no name of a list again", () => {
    let reads = 0
    const counted = listed.map(({ metadata, ...rest }) => ({
      ...rest,
      get metadata() {
        reads++
        return metadata
      }
    }))
    new ListPositions(counted, counted.length).namespaces()
    assert.isAtLeast(reads, counted.length)
    reads = 0
    new ListPositions([...counted], counted.length).namespaces()
    assert.strictEqual(reads, 0)
  })

  it("looks at few objects, even if their names are chosen for their hashes", () => {
    const count = 300
    const placeOf = (name: string) => fnv1a(name, fnv1a("a")) & 1023
    const chosen: Array<KubeObject> = []
    for (let at = 0; chosen.length < count; at++) if (placeOf(`n${at}`) === 7) chosen.push(object("a", `n${at}`))
    chosen.sort((one, other) => (isListedBefore(one, other) ? -1 : 1))
    let reads = 0
    const counted = new Proxy(chosen, {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key, receiver)
      }
    })
    const positions = new ListPositions(counted, count)
    positions.namespaces()
    reads = 0
    for (const [position, { metadata }] of chosen.entries())
      assert.strictEqual(positions.find(metadata.name ?? "", "a"), position)
    for (let at = 0; at < 1024; at++) assert.isUndefined(positions.find(`m${at}`, "a"))
    assert.isBelow(reads, (count * count) / 2)
  })

  it("keeps the last object of a namespace", () => {
    const objects = [object("a", "x"), object("b", "x"), object("b", "y")]
    const positions = new ListPositions(objects, objects.length)
    assert.deepStrictEqual(
      [0, 1, 2].map((position) => positions.remove(position)),
      [false, true, false]
    )
    assert.deepStrictEqual(
      positions.namespaces().map(({ from, namespace, to }) => [namespace, from, to]),
      [
        ["a", 0, 1],
        ["b", 1, 3]
      ]
    )
  })
})
