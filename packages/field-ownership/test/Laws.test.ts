import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { wireTypeOf } from "@rollcall/api/wire"
import { runAllSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type Applied, applyConfigurationInSteps } from "../src/applyConfiguration.ts"
import { compare, isSame } from "../src/compare.ts"
import { noOwners } from "../src/Managers.ts"
import { structOf } from "../src/schema.ts"

const schema = structOf(wireTypeOf("Pod"))
const metadata = { name: "p" }
const emptyPod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: {} }

const names = (of: string) => fc.uniqueArray(fc.constantFrom("a", "b", "c", of), { maxLength: 3 })

const env = names("e").map((all) => all.map((name) => ({ name, value: `v-${name}` })))
const containers = fc
  .uniqueArray(fc.record({ name: fc.constantFrom("x", "y", "z"), image: fc.constantFrom("i:1", "i:2"), env }), {
    selector: ({ name }) => name,
    maxLength: 3
  })
  .map((all) => all.map(({ env: set, ...rest }) => (set.length === 0 ? rest : { ...rest, env: set })))

/** The fields of a pod that a manager may apply; an empty list is omitted, because an empty list has no owner. */
const config = fc.record({ containers, labels: names("l"), finalizers: names("f") }).map((said) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata,
    ...(said.labels.length === 0 ? {} : { labels: Object.fromEntries(said.labels.map((each) => [each, "1"])) }),
    ...(said.finalizers.length === 0 ? {} : { finalizers: said.finalizers.map((each) => `x.io/${each}`) })
  },
  ...(said.containers.length === 0 ? {} : { spec: { containers: said.containers } })
}))

const apply = (live: Applied, said: KubeObject, manager: string): Applied => {
  const writer = { manager, operation: "Apply", apiVersion: "v1", subresource: undefined } as const
  const writing = { schema, empty: {}, writer, reset: {}, time: "2026-01-01T00:00:00Z", forgets: true }
  return Result.getOrThrow(runAllSteps(applyConfigurationInSteps(live.object, said, live.owners, writing, true)))
}

const start: Applied = { object: emptyPod, owners: noOwners }
const assertSameFields = (left: unknown, right: unknown) => assert.isTrue(isSame(compare(left, right, schema)))

describe("apply", () => {
  it("leaves only the last configuration of a single applier", () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const { object } = apply(apply(start, first, "m"), second, "m")
        assertSameFields(object, apply(start, second, "m").object)
      })
    )
  })

  it("changes nothing when repeated, and shares the object", () => {
    fc.assert(
      fc.property(config, config, (mine, theirs) => {
        const both = apply(apply(start, mine, "m"), theirs, "n")
        const again = apply(both, theirs, "n")
        assert.strictEqual(again.object, both.object)
        assert.deepStrictEqual([...again.owners], [...both.owners])
      })
    )
  })

  it("keeps another applier's fields, when one omits them", () => {
    fc.assert(
      fc.property(config, config, (mine, theirs) => {
        const both = apply(apply(start, mine, "m"), theirs, "n")
        const left = apply(both, { ...emptyPod, metadata } as KubeObject, "m")
        const alone = apply(start, theirs, "n").object
        assertSameFields(left.object, alone)
      })
    )
  })
})
