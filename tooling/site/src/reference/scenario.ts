import { ScenarioDocument } from "@rollcall/simulator"
import type * as SchemaAST from "effect/SchemaAST"
import { breakable } from "../content/escape.ts"
import type { Page } from "../Site.ts"
import { code, type Entry, entries, heading, inline, referencePage } from "./html.ts"

/** An object of the schema with its path in the file: `spec.events[]`. */
interface Section {
  readonly path: string
  readonly ast: SchemaAST.Objects
}

const expectedOf = (ast: SchemaAST.AST): string | undefined => {
  const texts = [ast, ...(ast.checks ?? [])].map(({ annotations }) => annotations?.expected)
  const own = texts.filter((text) => typeof text === "string")
  return own.at(-1)
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  return ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []
}

const names: Readonly<Record<string, string>> = {
  String: "a text",
  Number: "a number",
  Boolean: "true or false",
  Null: "null"
}

/** Whether an object has fields of its own; if not, it is a map. */
const hasFields = (ast: SchemaAST.AST): boolean => ast._tag === "Objects" && ast.propertySignatures.length > 0

/** Returns the form of a value as HTML, and links to the section of an object. */
const formOf = (ast: SchemaAST.AST, path: string): string => {
  const literals = literalsOf(ast)
  if (literals.length > 0 && (ast._tag === "Literal" || literals.length === (ast as SchemaAST.Union).types.length))
    return literals.map(code).join(", ")
  const expected = expectedOf(ast)
  if (expected !== undefined) return inline(expected)
  if (ast._tag === "Arrays") return `a list: ${ast.rest.map((item) => formOf(item, `${path}[]`)).join(", ")}`
  if (ast._tag === "Union") return ast.types.map((type) => formOf(type, path)).join(", or ")
  if (hasFields(ast)) return `<a href="#${path}">an object</a>`
  if (ast._tag !== "Objects") return names[ast._tag] ?? "any value"
  const [values] = ast.indexSignatures
  return values === undefined || values.type._tag === "Unknown"
    ? "an object"
    : `a map: ${formOf(values.type, `${path}{}`)}`
}

/** Returns an object and the objects in it, in the order of the file. */
const sectionsOf = (ast: SchemaAST.AST, path: string): ReadonlyArray<Section> => {
  if (ast._tag === "Arrays") return ast.rest.flatMap((item) => sectionsOf(item, `${path}[]`))
  if (ast._tag === "Union") return ast.types.flatMap((type) => sectionsOf(type, path))
  if (ast._tag !== "Objects") return []
  const below = (name: string) => (path === "" ? name : `${path}.${name}`)
  return [
    ...(hasFields(ast) ? [{ path, ast }] : []),
    ...ast.propertySignatures.flatMap(({ name, type }) => sectionsOf(type, below(String(name)))),
    ...ast.indexSignatures.flatMap(({ type }) => sectionsOf(type, `${path}{}`))
  ]
}

const fieldsOf = ({ ast, path }: Section): ReadonlyArray<Entry> =>
  ast.propertySignatures.map(({ name, type }) => {
    const full = path === "" ? String(name) : `${path}.${String(name)}`
    const required = type.context?.isOptional !== true
    return { anchor: `field-${full}`, name: String(name), required, description: formOf(type, full) }
  })

/** Makes the page of the fields of a scenario, from the schema that reads them. */
export const scenarioPage = (): Page => {
  const sections = sectionsOf(ScenarioDocument.ast, "").map((section) => {
    const { path } = section
    const title = path === "" ? "The document" : breakable(path)
    return heading(2, path === "" ? "document" : path, title) + entries(fieldsOf(section))
  })
  const about =
    '<p>Every field of <code>apiVersion: rollcall.dev/v1alpha1</code>, as the schema reads it: <code>[]</code> in a path is an element of a list, <code>{}</code> a value of a map. <a href="../scenario.html">Scenarios</a> says what the fields do.</p>\n'
  return referencePage(
    "configuration/scenario",
    "Fields of a scenario",
    "Fields of a scenario",
    about + sections.join("")
  )
}
