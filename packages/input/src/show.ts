import * as Predicate from "effect/Predicate"

/** The longest value, in characters, that a message shows completely. */
const MAX_LENGTH = 80

/**
 * Returns the beginning of a value's JSON. It stops at the length that is shown, because input can be deep and long.
 */
const jsonPrefix = (value: unknown): string => {
  let text = ""
  const isFull = () => text.length > MAX_LENGTH
  const members = (items: Iterable<readonly [prefix: string, item: unknown]>, open: string, close: string) => {
    text += open
    let separator = ""
    for (const [prefix, item] of items) {
      if (isFull()) return
      text += separator + prefix
      separator = ","
      write(item)
    }
    text += close
  }
  const write = (item: unknown): void => {
    if (typeof item === "string") text += JSON.stringify(item.slice(0, MAX_LENGTH + 1))
    else if (Array.isArray(item)) members(withoutNames(item), "[", "]")
    else if (Predicate.isReadonlyObject(item)) members(withNames(item), "{", "}")
    else text += JSON.stringify(item) ?? "null"
  }
  write(value)
  return text
}

function* withoutNames(items: ReadonlyArray<unknown>): Generator<readonly [string, unknown]> {
  for (const item of items) yield ["", item]
}

function* withNames(fields: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown]> {
  for (const name of Object.keys(fields)) {
    if (fields[name] !== undefined) yield [`${JSON.stringify(name.slice(0, MAX_LENGTH + 1))}:`, fields[name]]
  }
}

/** Formats a value for a message as JSON of at most 80 characters. */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : typeof value === "number" ? String(value) : jsonPrefix(value)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text
}
