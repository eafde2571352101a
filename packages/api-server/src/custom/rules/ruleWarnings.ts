import type { CustomResourceDefinition } from "@rollcall/api"
import { CompileFault } from "../cel/compile.ts"
import { asSchema, child, type JsonSchema, valuesOf } from "../schema/JsonSchema.ts"
import { compiledRules } from "./rules.ts"

/** The rules of a definition that cannot be run here: they are stored, and refuse nothing. */
export const ruleWarnings = ({ spec }: CustomResourceDefinition): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  for (const version of spec.versions) visit(asSchema(version.schema?.openAPIV3Schema), version.name, warnings, true)
  return warnings
}

const visit = (schema: JsonSchema, path: string, warnings: Array<string>, whole: boolean): void => {
  for (const compiled of compiledRules(schema, whole)) {
    const fault = compiled instanceof CompileFault ? compiled : compiled.message
    if (!(fault instanceof CompileFault)) continue
    const rule = compiled instanceof CompileFault ? "" : " of the message"
    warnings.push(`${path}: a rule${rule} is not run: ${fault.message}`)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    visit(property, child(path, name), warnings, false)
  }
  const values = valuesOf(schema)
  if (values !== undefined) visit(values, `${path}[*]`, warnings, false)
  if (schema.items !== undefined) visit(schema.items, `${path}[*]`, warnings, false)
}
