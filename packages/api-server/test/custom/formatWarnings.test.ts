import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition } from "@rollcall/api"
import { awaitSteps } from "@rollcall/time"
import { kindTable } from "../../src/core/registry/table.ts"
import { customResources } from "../../src/custom/index.ts"
import { customResourcesOnDemand } from "../../src/custom/onDemand.ts"

const defined = (...formats: ReadonlyArray<string>): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.b.c" },
  spec: {
    group: "b.c",
    scope: "Namespaced",
    names: { plural: "as", singular: "a", kind: "A", listKind: "AList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: Object.fromEntries(formats.map((format, at) => [`f${at}`, { type: "string", format }]))
          }
        }
      }
    ]
  }
})

describe.each([
  ["loaded", customResources],
  ["on demand", customResourcesOnDemand]
])("the formats of a definition whose rules are %s", (_, plan) => {
  it("are warned of once, if they validate nothing", async () => {
    const { strategy, validateInSteps } = plan.define(kindTable).CustomResourceDefinition
    const [before, after] = [defined("date", "color"), defined("date", "color", "shape")]
    await awaitSteps(validateInSteps?.(before, undefined, undefined) ?? [])
    assert.deepStrictEqual(strategy.warnings?.(before, undefined), ['unrecognized format "color"'])
    assert.deepStrictEqual(strategy.warnings?.(after, before), ['unrecognized format "shape"'])
  })
})
