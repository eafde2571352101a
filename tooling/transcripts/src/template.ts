import { isObject, type Json } from "./Case.ts"

/** What `{{name}}` stands for. */
export type Variables = Map<string, Json>

const fillText = (text: string, variables: Variables): Json => {
  const whole = /^\{\{(\w+)\}\}$/.exec(text)
  const value = whole === null ? undefined : variables.get(whole[1] ?? "")
  if (value !== undefined) return value
  return text.replace(/\{\{(\w+)\}\}/g, (found, name: string) => String(variables.get(name) ?? found))
}

/** Fills in variables wherever they stand, in names of fields too. A text that is one variable becomes its value. */
export const fillJson = (value: Json, variables: Variables): Json => {
  if (typeof value === "string") return fillText(value, variables)
  if (Array.isArray(value)) return value.map((item) => fillJson(item, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(fillText(key, variables)), fillJson(item, variables)])
  )
}

/** The same for a value whose shape is known, which filling in does not change. */
export const fill = <A>(value: A, variables: Variables): A => fillJson(value as Json, variables) as A

/** The value at a path; null where there is none. */
export const dig = (value: Json, path: string | ReadonlyArray<string>): Json => {
  let at: Json | undefined = value
  for (const part of typeof path === "string" ? path.split(".") : path) {
    if (Array.isArray(at)) at = (at as ReadonlyArray<Json>)[Number(part)]
    else if (isObject(at)) at = at[part]
    else return null
  }
  return at ?? null
}
