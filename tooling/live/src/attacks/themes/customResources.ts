import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Answer } from "../Request.ts"
import { isAnswered, outcomeOf } from "./answers.ts"

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const ESTABLISHED_MS = 300

const definition = (plural: string, spec: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.attack.io` },
  spec: {
    group: "attack.io",
    scope: "Namespaced",
    names: { plural, singular: plural, kind: `K${plural}`, listKind: `K${plural}List` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } }
      }
    ]
  }
})

interface Rule {
  readonly name: string
  readonly about: string
  readonly schema: (scale: number) => object
  readonly spec: (scale: number) => unknown
}

/** Creates the definition and, if that is accepted, a resource that is expensive for its rules. */
const attackOf = ({ about, name, schema, spec }: Rule): Attack => ({
  name: `custom/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const plural = name.replaceAll("-", "")
      const defined = yield* target.ask("operator", {
        method: "POST",
        path: DEFINITIONS,
        body: definition(plural, schema(scale))
      })
      const answers: Array<readonly [string, Answer]> = [["definition", defined]]
      if (isAnswered(defined) && defined.code < 300) {
        yield* Effect.sleep(ESTABLISHED_MS)
        const body = { apiVersion: "attack.io/v1", kind: `K${plural}`, metadata: { name: "x" }, spec: spec(scale) }
        const path = `/apis/attack.io/v1/namespaces/default/${plural}`
        answers.push(["resource", yield* target.ask("operator", { method: "POST", path, body })])
        yield* target.ask("operator", { method: "DELETE", path: `${DEFINITIONS}/${plural}.attack.io` })
      }
      return outcomeOf(answers)
    })
})

const evil = (scale: number) => `${"a".repeat(Math.max(40, 5000 * scale))}!`
const text = { type: "string" }
const list = (items: object) => ({ type: "array", items })
const ruled = (schema: object, rule: string) => ({ ...schema, "x-kubernetes-validations": [{ rule }] })
const object = (properties: object) => ({ type: "object", properties })

/** Defaults within items: each item of the resource grows by this much. */
const defaulted = object({ big: { type: "string", default: "x".repeat(20_000) } })

/** Attacks by definitions whose patterns, rules or defaults cost far more than their size. */
export const customResources: ReadonlyArray<Attack> = (
  [
    {
      name: "pattern",
      about: "^(a+)+$ as a pattern",
      schema: () => object({ x: { ...text, pattern: "^(a+)+$" } }),
      spec: (scale) => ({ x: evil(scale) })
    },
    {
      name: "pattern-nested",
      about: "(.*)*-like patterns, repeated",
      schema: () => object({ x: { ...text, pattern: "^((.*)*){1,20}b$" } }),
      spec: (scale) => ({ x: evil(scale) })
    },
    {
      name: "rule-matches",
      about: "^(a+)+$ in a rule",
      schema: () => object({ x: ruled(text, "self.matches('^(a+)+$')") }),
      spec: (scale) => ({ x: evil(scale) })
    },
    {
      name: "rule-nested-all",
      about: "all within all within all, without maxItems",
      schema: () => object({ x: ruled(list(text), "self.all(a, self.all(b, self.all(c, a != b + c)))") }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(3000 * scale) }, (_, index) => `v${index}`) })
    },
    {
      name: "rule-bounded-all",
      about: "all within all, within a maxItems that the estimate may let through",
      schema: () =>
        object({
          x: ruled({ ...list({ ...text, maxLength: 10 }), maxItems: 500 }, "self.all(a, self.all(b, a != b))")
        }),
      spec: () => ({ x: Array.from({ length: 500 }, (_, index) => `v${index}`) })
    },
    {
      name: "rule-replace",
      about: "replace that doubles, again and again",
      schema: () => object({ x: ruled(text, `self${".replace('a', 'aa')".repeat(40)} != ''`) }),
      spec: () => ({ x: "a".repeat(100) })
    },
    {
      name: "rule-concatenation",
      about: "a text that is added to itself, list by list",
      schema: () => object({ x: ruled(list(text), "self.map(a, self.map(b, a + b)).size() >= 0") }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(2000 * scale) }, () => "x".repeat(100)) })
    },
    {
      name: "defaults",
      about: "a default in each of very many items",
      schema: () => object({ x: list(defaulted) }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(100_000 * scale) }, () => ({})) })
    },
    {
      name: "defaults-nested",
      about: "defaults within defaults",
      schema: () =>
        object({
          x: list(
            object({
              y: {
                ...list(object({ z: { type: "string", default: "x".repeat(1000) } })),
                default: Array.from({ length: 100 }, () => ({}))
              }
            })
          )
        }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(20_000 * scale) }, () => ({})) })
    },
    {
      name: "list-set",
      about: "a set of very many items, each compared with each",
      schema: () => object({ x: { ...list(text), "x-kubernetes-list-type": "set" } }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(100_000 * scale) }, (_, index) => `v${index}`) })
    },
    {
      name: "list-map",
      about: "a keyed list of very many items",
      schema: () =>
        object({
          x: {
            ...list({ ...object({ k: text }), required: ["k"] }),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"]
          }
        }),
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(80_000 * scale) }, (_, index) => ({ k: `v${index}` })) })
    },
    {
      name: "alternatives",
      about: "anyOf within anyOf within anyOf",
      schema: () => {
        let schema: object = { ...text }
        const choice = (of: object, depth: number): object =>
          depth === 0 ? of : { anyOf: [choice(of, depth - 1), choice(of, depth - 1)] }
        schema = { ...text, ...choice({ pattern: "^b$" }, 12) }
        return object({ x: list(schema) })
      },
      spec: (scale) => ({ x: Array.from({ length: Math.ceil(2000 * scale) }, () => "a") })
    }
  ] satisfies ReadonlyArray<Rule>
).map(attackOf)
