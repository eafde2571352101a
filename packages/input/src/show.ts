import * as Predicate from "effect/Predicate"

/** The longest value that a message shows whole. */
const MOST_SHOWN = 80

/** The beginning of a value's JSON. No more of it is made than is shown: what a person hands in can be deep, and long. */
const beginningOf = (value: unknown): string => {
  let text = ""
  const isFull = () => text.length > MOST_SHOWN
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
    if (typeof item === "string") text += JSON.stringify(item.slice(0, MOST_SHOWN + 1))
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
    if (fields[name] !== undefined) yield [`${JSON.stringify(name.slice(0, MOST_SHOWN + 1))}:`, fields[name]]
  }
}

/** A value as a message shows it: JSON, cut to a line. */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : typeof value === "number" ? String(value) : beginningOf(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 3)}...` : text
}
