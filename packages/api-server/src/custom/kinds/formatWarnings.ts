import { type CustomResourceDefinition, goQuote } from "@rollcall/api"
import { definedSchemas, eachSchemaPart } from "@rollcall/api/validation"
import { isKnownFormat } from "@rollcall/structural-schema"

const formatsOf = ({ spec }: CustomResourceDefinition): ReadonlyArray<string> => {
  const formats: Array<string> = []
  for (const { schema } of definedSchemas(spec)) {
    eachSchemaPart(schema, ({ format, type }) => {
      if (typeof format === "string" && format !== "" && !isKnownFormat(format, type)) formats.push(format)
    })
  }
  return formats
}

/**
 * Returns a warning for each format that a definition has newly and that validates nothing. Upstream:
 * apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go.
 */
export const formatWarnings = (
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition | undefined
): ReadonlyArray<string> => {
  const known = new Set(stored && formatsOf(stored))
  return formatsOf(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`)
}
