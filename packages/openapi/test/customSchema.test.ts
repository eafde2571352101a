import { assert, describe, it } from "@effect/vitest"
import { customSchema } from "../src/customSchema.ts"
import type { Json } from "../src/OpenApiKind.ts"

const metadata: Json = { $ref: "ObjectMeta" }
const integerOrString = [{ type: "integer" }, { type: "string" }]
const text = { type: "string" }

const wholeObject: Json = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  required: ["kind", "spec"],
  properties: {
    kind: text,
    metadata,
    spec: { type: "object" },
    apiVersion: text
  }
}

/** A schema of a definition, and what each version of the documents shows of it; what is absent shows as it is. */
const schemas: Record<string, { readonly schema: Json; readonly v2?: Json; readonly v3?: Json }> = {
  "a whole object": {
    schema: {
      ...wholeObject,
      properties: { kind: { ...text, enum: ["K"] }, metadata: { type: "object" }, spec: { type: "object" } }
    },
    v2: { ...wholeObject, required: ["kind", "spec", "apiVersion"] },
    v3: { ...wholeObject, required: ["kind", "spec", "apiVersion"] }
  },
  "a whole object of unknown fields": {
    schema: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    v2: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    v3: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { apiVersion: text, kind: text, metadata },
      required: ["kind", "apiVersion"]
    }
  },
  "an integer or a text": {
    schema: { "x-kubernetes-int-or-string": true },
    v3: { "x-kubernetes-int-or-string": true, anyOf: integerOrString }
  },
  "an integer or a text that says so": {
    schema: { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: integerOrString }, { pattern: "x" }] },
    v2: { "x-kubernetes-int-or-string": true }
  },
  "an integer or a text with alternatives": {
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }] },
    v2: { "x-kubernetes-int-or-string": true },
    v3: { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }], allOf: [{ anyOf: integerOrString }] }
  },
  "any values": { schema: { type: "object", additionalProperties: true } },
  rules: { schema: { ...text, "x-kubernetes-validations": [{ rule: "true" }] } },
  "a nullable map": {
    schema: { type: "object", nullable: true, additionalProperties: text },
    v2: { additionalProperties: text }
  },
  "a nullable value that is required": {
    schema: { type: "object", required: ["a", "b"], properties: { a: { ...text, nullable: true }, b: text } },
    v2: { type: "object", required: ["b"], properties: { a: {}, b: text } }
  },
  "nullable values of a map": {
    schema: { type: "object", required: ["a"], additionalProperties: { ...text, nullable: true } },
    v2: { type: "object", additionalProperties: {} }
  },
  "a list that keeps unknown fields": {
    schema: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: text },
    v2: { "x-kubernetes-preserve-unknown-fields": true }
  }
}

describe("the schema of a definition shows", () => {
  for (const [what, { schema, v2 = schema, v3 = schema }] of Object.entries(schemas)) {
    it(what, () => {
      assert.deepStrictEqual(customSchema(schema, { version: "v2", metadata }), v2)
      assert.deepStrictEqual(customSchema(schema, { version: "v3", metadata }), v3)
    })
  }
})
