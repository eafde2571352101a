import { assert, describe, it } from "@effect/vitest"
import type { PodSpec } from "@rollcall/api"
import { RecentSpecs } from "../../../src/core/registry/RecentSpecs.ts"

const specOf = (image: string): PodSpec => ({ containers: [{ name: "main", image }] })

const counted = () => {
  const specs = new RecentSpecs()
  let made = 0
  const get = (image: string): PodSpec =>
    specs.get(specOf(image), (spec) => {
      made++
      return { ...spec }
    })
  return { get, made: () => made }
}

describe("RecentSpecs", () => {
  it("gives equal specs one value, of as many templates as the nodes of a zone have", () => {
    const { get, made } = counted()
    const images = Array.from({ length: 256 }, (_, index) => `image-${index}`)
    const first = images.map(get)
    assert.deepStrictEqual([...images].reverse().map(get).reverse(), first)
    images.forEach((image, index) => void assert.strictEqual(get(image), first[index]))
    assert.strictEqual(made(), 256)
  })

  it("forgets the spec that was used longest ago", () => {
    const { get, made } = counted()
    for (let index = 0; index < 256; index++) get(`image-${index}`)
    get("image-0")
    get("image-256")
    get("image-0")
    assert.strictEqual(made(), 257)
    get("image-1")
    assert.strictEqual(made(), 258)
  })

  it("keeps specs of a million characters together", () => {
    const { get, made } = counted()
    const image = (index: number) => `${index}`.padStart(15_000, "0")
    for (let index = 0; index < 100; index++) get(image(index))
    assert.strictEqual(made(), 100)
    for (let index = 99; index >= 40; index--) get(image(index))
    assert.strictEqual(made(), 100)
    get(image(0))
    assert.strictEqual(made(), 101)
  })
})
