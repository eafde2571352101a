import { goSyntaxError } from "../wire/decode/goSyntax.ts"

const isObject = (value: unknown): boolean => value === null || (typeof value === "object" && !Array.isArray(value))

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  return typeof value === "boolean" ? "bool" : typeof value
}

/** Returns why Go cannot read a text as a JSON object of its type, in Go's words. */
export const jsonObjectFault = (text: string, goType: string): string | undefined => {
  const fault = goSyntaxError(text)
  if (fault !== undefined) return fault
  const value: unknown = JSON.parse(text)
  return isObject(value) ? undefined : `json: cannot unmarshal ${kindOf(value)} into Go value of type ${goType}`
}
