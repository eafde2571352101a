import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"

/** Texts of the first server's object, and the same of the second's: what each of them chose. */
export type Pairs = ReadonlyArray<readonly [string, string]>

/** Returns the question with what the second server chose. */
export const translated = ({ body, ...question }: Question, pairs: Pairs): Question => {
  if (body === undefined || pairs.length === 0) return { ...question, ...(body === undefined ? {} : { body }) }
  let text = typeof body === "string" ? body : JSON.stringify(body)
  for (const [theirs, own] of pairs) text = text.replaceAll(theirs, own)
  return { ...question, body: typeof body === "string" ? text : (JSON.parse(text) as Json) }
}

/** Finds what the servers chose in an object: UIDs, addresses and ports. */
export const chosen = (theirs: JsonObject, own: JsonObject): Pairs => {
  const pairs: Array<readonly [string, string]> = []
  const visit = (left: Json | undefined, right: Json | undefined, key: string): void => {
    if (isObject(left) && isObject(right)) {
      for (const name of Object.keys(left)) visit(left[name], right[name], name)
    } else if (Array.isArray(left) && Array.isArray(right)) {
      for (const [index, item] of left.entries()) visit(item, right[index], key)
    } else if (left !== right && left !== undefined && right !== undefined && left !== "" && chosenFields.has(key)) {
      const text = (value: Json) => (typeof value === "number" ? `"${key}":${value}` : String(value))
      pairs.push([text(left), text(right)])
    }
  }
  visit(theirs, own, "")
  return pairs
}

const chosenFields: ReadonlySet<string> = new Set(["uid", "clusterIP", "clusterIPs", "nodePort", "controller-uid"])
