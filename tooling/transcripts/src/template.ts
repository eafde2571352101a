import { isObject, type Json } from "./Case.ts"

/** The values of variables, which a text refers to as `{{name}}`. */
export type Variables = Map<string, Json>

const fillText = (text: string, variables: Variables): Json => {
  const whole = /^\{\{(\w+)\}\}$/.exec(text)
  const value = whole === null ? undefined : variables.get(whole[1] ?? "")
  if (value !== undefined) return value
  return text.replace(/\{\{(\w+)\}\}/g, (found, name: string) => String(variables.get(name) ?? found))
}

/** Replaces the variables in a value, in names of fields too. A text that is only one variable becomes its value, of any type. */
export const fillJson = (value: Json, variables: Variables): Json => {
  if (typeof value === "string") return fillText(value, variables)
  if (Array.isArray(value)) return value.map((item) => fillJson(item, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(fillText(key, variables)), fillJson(item, variables)])
  )
}

/** Replaces the variables in a value whose type this does not change. */
export const fill = <A>(value: A, variables: Variables): A => fillJson(value as Json, variables) as A

/** Returns the value at a path (`metadata.name`, or a list of keys), or null if there is none. */
export const valueAt = (value: Json, path: string | ReadonlyArray<string>): Json => {
  let current: Json | undefined = value
  for (const part of typeof path === "string" ? path.split(".") : path) {
    if (Array.isArray(current)) current = (current as ReadonlyArray<Json>)[Number(part)]
    else if (isObject(current)) current = current[part]
    else return null
  }
  return current ?? null
}
