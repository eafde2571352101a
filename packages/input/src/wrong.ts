import { nearest } from "@rollcall/api"
import type { Wrong } from "./Problem.ts"
import { show } from "./show.ts"

/** Adds a suggestion to a message: `found "buzy", expected one of quiet, busy; did you mean "busy"?`. */
const sentence = (what: string, near: string | undefined): string =>
  near === undefined ? what : `${what}; did you mean "${near}"?`

/** The known name that a text probably means; undefined if it is a known name, or similar to none. */
const nearestName = (written: unknown, known: Iterable<string>): string | undefined => {
  const near = typeof written === "string" ? nearest(written, known) : undefined
  return near === written ? undefined : near
}

export interface WrongValueOptions {
  /** The valid names, from which the most similar one is suggested. */
  readonly names?: Iterable<string>
  /** Formats the value; the default is `show`. */
  readonly shown?: (value: unknown) => string
  /** The beginning of the message: `--zones: `. */
  readonly label?: string
}

/** Describes a wrong value: `found VALUE, expected EXPECTED`, with the most similar valid name, if any. */
export const wrongValue = (
  value: unknown,
  expected: string,
  { label = "", names = [], shown = show }: WrongValueOptions = {}
): Wrong => {
  const found = shown(value)
  const near = nearestName(value, names)
  return {
    message: sentence(`${label}found ${found}, expected ${expected}`, near),
    found,
    expected,
    ...(near === undefined ? {} : { nearest: near })
  }
}

/** Describes a value that is none of several names: `found VALUE, expected one of A, B`, with the most similar one. */
export const wrongChoice = (value: unknown, names: ReadonlyArray<string>): Wrong =>
  wrongValue(value, `one of ${names.join(", ")}`, { names })

/** Describes an unknown name by `what`, such as `no node "n1" in this cluster`, with the most similar known name. */
export const unknownName = (what: string, name: string, known: Iterable<string>): Wrong => {
  const near = nearestName(name, known)
  return { message: sentence(what, near), found: show(name), ...(near === undefined ? {} : { nearest: near }) }
}

/** How many known names a message lists: all that a zone, a workload or a field can mean, not a thousand nodes. */
const LISTED = 40

/** Describes an unknown name like `unknownName`; lists the known names, up to 40, if none is similar. */
export const unknownAmong = (what: string, name: string, known: ReadonlyArray<string>): Wrong => {
  const wrong = unknownName(what, name, known)
  if (known.length === 0) return { ...wrong, message: `${wrong.message}; there are none` }
  const expected = known.length <= LISTED ? known.join(", ") : `${known.slice(0, LISTED).join(", ")}, …`
  return wrong.nearest === undefined
    ? { ...wrong, message: `${wrong.message}; known here: ${expected}`, expected }
    : { ...wrong, expected }
}

/** Describes an unknown field, with the most similar known one or the list of all. */
export const unknownField = (name: string, known: ReadonlyArray<string>): Wrong =>
  unknownAmong("unknown field", name, known)

/** Describes a field in the wrong place or with a wrong name; `meant` is the right path. */
export const misplacedField = (name: string, meant: string): Wrong => ({
  message: sentence("unknown field", meant),
  found: show(name),
  nearest: meant
})

/** Describes a missing value: `is required`, followed by `rest`, such as ` for crash`. */
export const missing = (rest = ""): Wrong => ({ message: `is required${rest}` })
