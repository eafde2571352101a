import { goJson } from "./goFormat.ts"
import { semanticEqual } from "./semanticEqual.ts"

type Fields = Readonly<Record<string, unknown>>

const line = (sign: "-" | "+", name: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [`${sign} ${name}: ${goJson(value)}`]

/** Formats the changes of an update, field by field; upstream prints Go structs here. */
export const specDifference = (old: Fields, next: Fields): string =>
  [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((name) => !semanticEqual(old[name], next[name]))
    .flatMap((name) => [...line("-", name, old[name]), ...line("+", name, next[name])])
    .join("\n")
