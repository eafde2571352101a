import type { CustomResourceDefinition } from "@rollcall/api"
import { asSchema, child, type JsonSchema, valuesOf } from "./JsonSchema.ts"
import { compileRule, RuleFault } from "./rules.ts"

/** The rules of a definition that cannot be run here: they are stored, and refuse nothing. */
export const ruleWarnings = ({ spec }: CustomResourceDefinition): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  for (const version of spec.versions) visit(asSchema(version.schema?.openAPIV3Schema), version.name, warnings)
  return warnings
}

const visit = (schema: JsonSchema, path: string, warnings: Array<string>): void => {
  schema["x-kubernetes-validations"]?.forEach((rule) => {
    const compiled = compileRule(rule)
    if (!(compiled instanceof RuleFault)) return
    warnings.push(`${path}: rule ${JSON.stringify(rule.rule)} is not run: ${compiled.message}`)
  })
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, child(path, name), warnings)
  const values = valuesOf(schema)
  if (values !== undefined) visit(values, `${path}[*]`, warnings)
  if (schema.items !== undefined) visit(schema.items, `${path}[*]`, warnings)
}
