import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import {
  type ExportedLayer,
  exportedLayers,
  layerNames,
  readmeExamples,
  unusedLayers,
  usersOfLayers,
  usesLayer
} from "../src/layers.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Exports that are named like a layer but are none. */
const namedLikeLayers: Readonly<Record<string, string>> = {
  withKubeletLayer: "lays one set of kubelet settings over another"
}

/** Packages without a layer in the README's examples. */
const withoutExample: Readonly<Record<string, string>> = {
  components: "runs `up`, a program that is made of them: they ask for the settings of a whole process"
}

const isLayer = ({ name }: ExportedLayer): boolean => namedLikeLayers[name] === undefined

/** The timeout of the imports: each entry point is read and compiled with its dependencies. */
const IMPORT_MS = 120_000

describe("layers that packages export", () => {
  const users = usersOfLayers(root)
  let found = 0

  for (const name of readdirSync(`${root}/packages`)) {
    it(
      `${name}: are used by a program, an example or the README's, which runs one of them`,
      async () => {
        const layers = (await exportedLayers(root, name)).filter(isLayer)
        found += layers.length
        const unused = unusedLayers(layers, users).map((layer) => layer.name)
        assert.deepStrictEqual(unused, [], "give them a user, or delete them")
        const examples = readmeExamples(root, name)
        const runsOne = layers.length === 0 || layers.some((layer) => usesLayer(examples, layer))
        assert.strictEqual(
          runsOne,
          withoutExample[name] === undefined,
          "an example of README.md runs one of its layers"
        )
      },
      IMPORT_MS
    )
  }

  it("are found", () => assert.isAbove(found, 40))
})

describe("a layer", () => {
  class Service {
    readonly name = "service"
    static readonly layer = Layer.empty
    static readonly layerWith = () => Layer.empty
    static readonly none = Layer.empty
    static readonly make = () => 1
  }

  it("is found by its value, and by the name of its constructor", () => {
    const exported = {
      Service,
      layerOne: () => Layer.empty,
      twoLayer: () => Layer.empty,
      some: Layer.empty,
      layersOf: 1
    }
    assert.deepStrictEqual(layerNames(exported), [
      "Service.layer",
      "Service.layerWith",
      "Service.none",
      "layerOne",
      "twoLayer",
      "some"
    ])
  })

  it("is not used by its declaration, exports or comments", () => {
    const one = { package: "p", name: "layerOne" }
    for (const text of [
      "export const layerOne = 1",
      "class Other {\n  static readonly layerOne = 1\n}",
      'export { layerOne } from "./one.ts"',
      'import {\n  layerOne\n} from "p"',
      "// layerOne\n/* layerOne */",
      "layerOneMore()"
    ]) {
      assert.isFalse(usesLayer(text, one), text)
    }
    assert.isTrue(usesLayer('import { layerOne } from "p"\nconst world = layerOne()', one))
    const member = { package: "p", name: "Service.layer" }
    assert.isFalse(usesLayer("class Service {\n  static readonly layer = 1\n}", member))
    assert.isFalse(usesLayer("Service.layerMemory", member))
    assert.isTrue(usesLayer("Layer.provide(Service.layer)", member))
    const users = [{ file: "a.ts", text: "Service.layer" }]
    assert.deepStrictEqual(unusedLayers([one, member], users), [one])
  })
})
