import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  type ConfigMap,
  formatAmounts,
  kindOf,
  matchesLabelSelector,
  type Pod,
  podRequests,
  selectorOf
} from "../src/index.ts"
import { applyStrategicPatch, createStrategicPatch } from "../src/patch/index.ts"
import { semanticEqual } from "../src/validation/semanticEqual.ts"

/** Names that a record has by inheritance. */
const names = ["constructor", "toString", "__proto__"]

/** A record with one member of its own, as JSON.parse makes it. */
const of = <A>(name: string, value: A): Readonly<Record<string, A>> => Object.fromEntries([[name, value]])

const podOf = (resources: object): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default" },
  spec: { containers: [{ name: "c", image: "x", resources }], resources: { limits: { memory: "1Gi" } } }
})

describe.each(names)("the name %s", (name) => {
  it("is refused as that of a resource", () => {
    const limit = { type: "Container", min: of(name, "1"), maxLimitRequestRatio: of(name, "2"), max: { cpu: "1" } }
    const range = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits: [limit] } } as const
    assert.isNotEmpty(kindOf("LimitRange").validation.create(range))
    for (const resources of [{ requests: of(name, "1") }, { limits: of(name, "1") }]) {
      const pod = kindOf("Pod").defaults(podOf(resources))
      assert.isNotEmpty(kindOf("Pod").validation.create(pod))
    }
  })

  it("is that of no sum that is not there", () => {
    const { requests } = { requests: { ...of(name, "1"), cpu: "2" } }
    const sums = formatAmounts(podRequests(podOf({ requests })))
    assert.strictEqual(sums.cpu, "2")
    assert.isTrue(!Object.hasOwn(sums, name) || sums[name] === "1")
  })

  it("is that of a label which an object has or has not", () => {
    const selector = selectorOf({ matchExpressions: [{ key: name, operator: "Exists" }] })
    assert.deepStrictEqual(
      [matchesLabelSelector(selector, {}), matchesLabelSelector(selector, of(name, "a"))],
      [false, true]
    )
    assert.isFalse(matchesLabelSelector(selectorOf({ matchExpressions: [{ key: "a", operator: name }] }), { a: "b" }))
  })

  it("is that of an entry which a strategic patch adds, changes and removes", () => {
    const document = (data: object): ConfigMap =>
      ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data }) as ConfigMap
    const states = [document({ a: "b" }), document(of(name, "1")), document(of(name, "2")), document({})]
    for (const [at, to] of states.entries()) {
      const from = states.at(at - 1) as ConfigMap
      const patch = createStrategicPatch("ConfigMap", from, to)
      assert.deepStrictEqual(Result.getOrThrow(applyStrategicPatch("ConfigMap", from, patch)) as unknown, to)
    }
  })

  it("makes a difference where one object alone has it", () => {
    const [without, having] = [{ spec: { labels: {} } }, { spec: { labels: of(name, "a") } }]
    assert.isFalse(semanticEqual(without, having))
    assert.isFalse(semanticEqual(having, without))
    assert.isFalse(semanticEqual({}, of(name, "a")))
  })
})
