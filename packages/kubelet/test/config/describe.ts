import type { Release } from "@rollcall/api"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { assert } from "vitest"
import { noKubeletSettings, resolveKubelet } from "../../src/index.ts"

/** A field's type, as its schema has it: a name, or what it is made of. */
export type FieldType =
  | string
  | { readonly list: FieldType }
  | { readonly map: FieldType }
  | { readonly fields: Readonly<Record<string, FieldType>> }

const typeOf = (ast: SchemaAST.AST): FieldType => {
  const title = SchemaAST.resolve(ast)?.title
  if (typeof title === "string") return title
  if (ast._tag === "Arrays") return { list: typeOf(ast.rest[0] ?? assert.fail("a list of nothing")) }
  if (ast._tag === "Union") return typeOf(ast.types[0] ?? assert.fail("a union of nothing"))
  if (ast._tag !== "Objects") return assert.fail(`${ast._tag} has no title`)
  const [index] = ast.indexSignatures
  if (index !== undefined) return { map: typeOf(index.type) }
  return { fields: Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [String(name), typeOf(type)])) }
}

export const fieldTypesOf = (
  fields: Readonly<Record<string, Schema.Constraint>>
): Readonly<Record<string, FieldType>> =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, typeOf(schema.ast)]))

/** A type in words. */
export const describeField = (type: FieldType): string => {
  if (typeof type === "string") return type
  if ("list" in type) return `list of ${describeField(type.list)}`
  if ("map" in type) return `map of ${describeField(type.map)}`
  return `{ ${Object.entries(type.fields)
    .map(([name, inner]) => `${name}: ${describeField(inner)}`)
    .join(", ")} }`
}

/** What a kubelet of a release that is told nothing has in each field, as JSON. */
export const defaultsOf = (release: Release): Readonly<Record<string, string>> => {
  const { configuration } = Result.getOrThrow(resolveKubelet(noKubeletSettings, release))
  return Object.fromEntries(
    Object.entries(configuration).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ").replaceAll(":", ": ")
    ])
  )
}
