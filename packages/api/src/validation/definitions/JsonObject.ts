/** A part of a JSON document: schemas are checked as they were written. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a field has a value that is not its type's zero value. */
export const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isJsonObject(value) && Object.keys(value).length === 0)

/** Visits the properties of a schema, sorted by name. */
export const eachProperty = (schema: JsonObject, visit: (property: JsonObject, name: string) => void): void =>
  eachNamed(schema.properties, visit)

/** Visits the schemas of a map, by name. */
export const eachNamed = (schemas: unknown, visit: (schema: JsonObject, name: string) => void): void => {
  if (!isJsonObject(schemas)) return
  for (const name of Object.keys(schemas).sort()) {
    const schema = schemas[name]
    if (isJsonObject(schema)) visit(schema, name)
  }
}

/** Visits the schemas of `allOf`, `anyOf` and `oneOf`, and that of `not`, with their paths. */
export const eachAlternative = (
  schema: JsonObject,
  at: string,
  order: ReadonlyArray<"allOf" | "anyOf" | "oneOf" | "not">,
  visit: (part: JsonObject, at: string, name: string, index: number) => void
): void => {
  for (const name of order) {
    const given = schema[name]
    if (Array.isArray(given)) {
      given.forEach((part, index) => {
        if (isJsonObject(part)) visit(part, `${at}.${name}[${index}]`, name, index)
      })
    } else if (isJsonObject(given)) visit(given, `${at}.${name}`, name, 0)
  }
}
