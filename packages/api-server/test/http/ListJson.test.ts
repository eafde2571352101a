import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { listJson } from "../../src/http/objectJson.ts"

const node = (number: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: `n-${number}`, annotations: { note: number % 3 === 0 ? "größer 🙂" : "x".repeat(number % 50) } }
})

describe("a list as JSON", () => {
  for (const count of [0, 1, 63, 64, 65, 1000]) {
    it(`is the same text for ${count} objects, whatever it is made of`, () => {
      const items = Array.from({ length: count }, (_, number) => node(number))
      const list = { kind: "NodeList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items }
      assert.strictEqual(listJson(list, items).toString(), `${JSON.stringify(list)}\n`)
    })
  }
})
