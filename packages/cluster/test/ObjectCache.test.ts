import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as fc from "fast-check"
import { ObjectCache } from "../src/ObjectCache.ts"

const object = (namespace: string, name: string, zone: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, labels: { zone } }
})

const zoneOf = ({ metadata: { labels } }: KubeObject) => labels?.["zone"]

const objects = fc.array(
  fc
    .tuple(fc.constantFrom("a", "a-b", "b"), fc.constantFrom("x", "x-y", "y", "z"), fc.constantFrom("zone-a", "zone-b"))
    .map((parts) => object(...parts)),
  { maxLength: 8 }
)
const key = ({ metadata: { name, namespace } }: KubeObject) => `${namespace}/${name}`
const inKeyOrder = objects.map((list) =>
  [...new Map(list.map((each) => [key(each), each])).values()].sort((one, other) => (key(one) < key(other) ? -1 : 1))
)

/** The objects by every read of the cache. */
const contents = (cache: ObjectCache<KubeObject>) => ({
  size: cache.size,
  list: cache.list(),
  zones: ["zone-a", "zone-b"].map((zone) => cache.byIndex("zone", zone)),
  found: ["a", "a-b", "b"].flatMap((namespace) => ["x", "x-y", "y", "z"].map((name) => cache.get(name, namespace))),
  listAgain: cache.list()
})

describe("ObjectCache", () => {
  it("has the objects of a list, in order or not, and of what follows, as if each had been set", () => {
    fc.assert(
      fc.property(
        fc.oneof(inKeyOrder, objects),
        objects,
        fc.boolean(),
        fc.boolean(),
        (listed, later, readsFirst, deletes) => {
          const [cache, plain] = [new ObjectCache<KubeObject>(), new ObjectCache<KubeObject>()]
          for (const each of [cache, plain]) each.addIndex("zone", zoneOf)
          for (const each of listed) assert.strictEqual(cache.setListed(each), plain.set(each))
          if (readsFirst) assert.deepStrictEqual(contents(cache), contents(plain))
          assert.deepStrictEqual([cache.size, cache.list()], [plain.size, plain.list()])
          for (const { metadata } of deletes ? later : []) {
            const { name = "", namespace = "" } = metadata
            assert.strictEqual(cache.delete(name, namespace), plain.delete(name, namespace))
          }
          for (const each of later) assert.strictEqual(cache.set(each), plain.set(each))
          assert.deepStrictEqual(contents(cache), contents(plain))
        }
      )
    )
  })

  it("answers the same while a first list is not in the maps yet, and after", () => {
    // A namespace loses its place in the list with its last object.
    const sparse = fc.tuple(fc.constantFrom("a-b", "b", "c"), fc.constantFrom("0", "1"))
    const place = fc.oneof(fc.tuple(fc.constant("a"), fc.oneof(fc.nat(3), fc.nat(120)).map(String)), sparse)
    const step = fc.tuple(
      place,
      fc.constantFrom("set", "delete", "get", "byIndex"),
      fc.constantFrom("zone-a", "zone-b")
    )
    const listed = [...Array.from({ length: 100 }, (_, at) => object("a", String(at), "zone-a"))]
      .concat(object("a-b", "0", "zone-a"), object("b", "0", "zone-b"))
      .sort((one, other) => (key(one) < key(other) ? -1 : 1))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 16 }), (steps) => {
        const [cache, plain] = [new ObjectCache<KubeObject>(), new ObjectCache<KubeObject>()]
        for (const each of [cache, plain]) each.addIndex("zone", zoneOf)
        for (const each of listed) assert.strictEqual(cache.setListed(each), plain.set(each))
        const take = (each: ObjectCache<KubeObject>, [[namespace, name], act, zone]: (typeof steps)[number]) => {
          if (act === "set") return each.set(object(namespace, name, zone))
          if (act === "delete") return each.delete(name, namespace)
          return act === "get" ? each.get(name, namespace) : each.byIndex("zone", zone)
        }
        for (const each of steps) assert.deepStrictEqual(take(cache, each), take(plain, each))
        assert.deepStrictEqual(contents(cache), contents(plain))
      })
    )
  })

  it("finds cluster-scoped objects of a first list, which have no namespace", () => {
    const cache = new ObjectCache<KubeObject>()
    const node = (at: number): KubeObject => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `node-${String(at).padStart(3, "0")}` }
    })
    const nodes = Array.from({ length: 100 }, (_, at) => node(at))
    for (const each of nodes) cache.setListed(each)
    const next = node(70)
    assert.strictEqual(cache.set(next), nodes[70])
    assert.strictEqual(cache.get("node-070", ""), next)
    assert.strictEqual(cache.delete("node-070", ""), next)
    assert.deepStrictEqual([cache.size, cache.list().length], [99, 99])
  })
})
