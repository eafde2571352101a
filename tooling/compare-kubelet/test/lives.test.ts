import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { lifeDifferences } from "../src/differences.ts"
import { type Life, parseLife } from "../src/Life.ts"
import { rehearseLife } from "../src/rehearse.ts"
import { remaining } from "../src/remaining.ts"
import { shapes } from "../src/shapes/index.ts"

const folder = fileURLToPath(new URL("../fixtures/lives", import.meta.url))
const lives = readdirSync(folder)
  .toSorted()
  .map((name) => parseLife(readFileSync(`${folder}/${name}`, "utf8")))

const lifeOf = (name: string): Life => {
  const life = lives.find((one) => one.name === name)
  assert.isDefined(life)
  return life
}

describe("Rollcall's kubelet, beside a genuine one of v1.36.2", () => {
  it("has been compared in every shape", () => {
    const names = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name).toSorted()
    assert.deepStrictEqual(names(lives), names(shapes))
    for (const shape of shapes) {
      const { name, node: _, requests, ...recorded } = lifeOf(shape.name)
      assert.deepStrictEqual({ name, ...recorded }, JSON.parse(JSON.stringify(shape)))
      assert.isNotEmpty(requests)
    }
  })

  it.each(lives.map((life) => [life.name, life] as const))("asks the same about the pod %s", (name, life) => {
    assert.deepStrictEqual(lifeDifferences(life, rehearseLife(life)), remaining[name]?.lines ?? [])
  })
})

describe("the comparison", () => {
  const plain = lifeOf("plain")
  const without = (life: Life, index: number): Life => ({
    ...life,
    requests: life.requests.filter((_, at) => at !== index)
  })

  it("finds each write that is missing", () => {
    const writes = plain.requests.flatMap(({ verb }, index) => (verb === "get" ? [] : [index]))
    // The first patch of the sandbox may be sent together with the next one, which then says less.
    for (const index of writes) assert.isNotEmpty(lifeDifferences(without(plain, index), plain))
  })

  it("finds another value, and another time", () => {
    const change = (from: string, to: string): Life =>
      JSON.parse(JSON.stringify(plain).replaceAll(JSON.stringify(from), JSON.stringify(to)))
    assert.deepStrictEqual(lifeDifferences(change("Succeeded", "Failed"), plain), [
      "  patch pods/status plain 200",
      '-   status.phase: "Failed"',
      '+   status.phase: "Succeeded"'
    ])
    const late = { ...plain, requests: plain.requests.map((one) => (one.at > 6 ? { ...one, at: one.at + 10 } : one)) }
    assert.match(lifeDifferences(late, plain)[0] ?? "", /^@ patch pods\/status plain 200: at /)
  })
})
