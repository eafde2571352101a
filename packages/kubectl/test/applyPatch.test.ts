import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { createMergePatch, threeWayPatch, withLastApplied } from "../src/applyPatch.ts"

const mapping = (group: string, kind: string) => ({
  group,
  version: "v1",
  kind,
  plural: "x",
  singular: "x",
  shortNames: [],
  namespaced: true,
  categories: []
})

const configMap = (data: Record<string, string>): KubeObject => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "n" }, data }
  return object
}

const deployment = (containers: ReadonlyArray<object>, replicas?: number): KubeObject => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
  const spec = { selector: { matchLabels: { a: "b" } }, template, ...(replicas === undefined ? {} : { replicas }) }
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", namespace: "n" }, spec }
  return object
}

const bodyOf = (kind: ReturnType<typeof mapping>, current: KubeObject, wanted: KubeObject) =>
  Result.getOrThrow(threeWayPatch(kind, current, withLastApplied(wanted)))

describe("threeWayPatch", () => {
  const cm = mapping("", "ConfigMap")

  it("is empty if the manifest was applied unchanged, even if others added fields", () => {
    const applied = withLastApplied(configMap({ a: "1" }))
    const current = { ...applied, data: { a: "1", theirs: "2" } }
    assert.deepStrictEqual(bodyOf(cm, current, configMap({ a: "1" })), { type: "strategic", body: {} })
  })

  it("removes fields that only the last manifest had, and keeps fields of others", () => {
    const applied = withLastApplied(configMap({ a: "1", b: "1" }))
    const current = { ...applied, data: { a: "9", b: "1", theirs: "2" } }
    const { body } = bodyOf(cm, current, configMap({ a: "1" }))
    assert.deepStrictEqual(body.data, { a: "1", b: null })
  })

  it("merges containers by name", () => {
    const kind = mapping("apps", "Deployment")
    const applied = withLastApplied(
      deployment([
        { name: "app", image: "i:1" },
        { name: "old", image: "o" }
      ])
    )
    const { metadata } = applied
    const containers = [
      { name: "side", image: "s" },
      { name: "app", image: "i:1", imagePullPolicy: "Always" },
      { name: "old", image: "o" }
    ]
    const current = { ...deployment(containers, 5), metadata }
    const { body, type } = bodyOf(kind, current, deployment([{ name: "app", image: "i:2" }]))
    assert.strictEqual(type, "strategic")
    const { spec } = body as { spec: { template: { spec: { containers: ReadonlyArray<object> } }; replicas?: number } }
    assert.isUndefined(spec.replicas)
    assert.sameDeepMembers(
      [...spec.template.spec.containers],
      [
        { name: "app", image: "i:2" },
        { name: "old", $patch: "delete" }
      ]
    )
  })

  it("is a JSON merge patch for custom resources", () => {
    const widget = (spec: object): KubeObject => {
      const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec }
      return object
    }
    const applied = withLastApplied(widget({ list: [1, 2], gone: true }))
    const current = { ...widget({ list: [1, 2], gone: true, theirs: 1 }), metadata: applied.metadata }
    const { body, type } = bodyOf(mapping("example.com", "Widget"), current, widget({ list: [1] }))
    assert.strictEqual(type, "merge")
    assert.deepStrictEqual(body.spec, { list: [1], gone: null })
  })
})

describe("createMergePatch", () => {
  it("is empty for equal documents, and has the differences otherwise", () => {
    assert.deepStrictEqual(createMergePatch({ a: { b: [1] } }, { a: { b: [1] } }), {})
    assert.deepStrictEqual(createMergePatch({ a: { b: 1, c: 2 }, d: 1 }, { a: { b: 1, c: 3 }, e: 2 }), {
      a: { c: 3 },
      d: null,
      e: 2
    })
  })
})
