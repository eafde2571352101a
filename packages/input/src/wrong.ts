import { nearest } from "@rollcall/api"
import type { Wrong } from "./Problem.ts"
import { show } from "./show.ts"

/** The one sentence of a problem: `found "buzy", expected one of quiet, busy; did you mean "busy"?`. */
const sentence = (what: string, near: string | undefined): string =>
  near === undefined ? what : `${what}; did you mean "${near}"?`

/** The known name that a text probably means; undefined if it is a known name, or similar to none. */
const meantBy = (written: unknown, known: Iterable<string>): string | undefined => {
  const near = typeof written === "string" ? nearest(written, known) : undefined
  return near === written ? undefined : near
}

export interface WrongValueOptions {
  /** The names that the value could have been, for the nearest. */
  readonly names?: Iterable<string>
  /** How the value is shown; absent: as JSON, cut to a line. */
  readonly shown?: (value: unknown) => string
  /** What the sentence begins with: `--zones: `. */
  readonly label?: string
}

/** `found VALUE, expected EXPECTED`, with the nearest of the names that the value could have been. */
export const wrongValue = (
  value: unknown,
  expected: string,
  { label = "", names = [], shown = show }: WrongValueOptions = {}
): Wrong => {
  const found = shown(value)
  const near = meantBy(value, names)
  return {
    message: sentence(`${label}found ${found}, expected ${expected}`, near),
    found,
    expected,
    ...(near === undefined ? {} : { nearest: near })
  }
}

/** `found VALUE, expected one of A, B`, with the nearest of them. */
export const wrongChoice = (value: unknown, names: ReadonlyArray<string>): Wrong =>
  wrongValue(value, `one of ${names.join(", ")}`, { names })

/** `what`, such as `no node "n1" in this cluster`, with the nearest of the known names. */
export const unknownName = (what: string, name: string, known: Iterable<string>): Wrong => {
  const near = meantBy(name, known)
  return { message: sentence(what, near), found: show(name), ...(near === undefined ? {} : { nearest: near }) }
}

/** `unknownName`, with a list of all known names if none is similar. */
export const unknownAmong = (what: string, name: string, known: ReadonlyArray<string>): Wrong => {
  const wrong = unknownName(what, name, known)
  if (known.length === 0) return { ...wrong, message: `${wrong.message}; there are none` }
  const expected = known.join(", ")
  return wrong.nearest === undefined
    ? { ...wrong, message: `${wrong.message}; known here: ${expected}`, expected }
    : { ...wrong, expected }
}

/** An unknown field. */
export const unknownField = (name: string, known: ReadonlyArray<string>): Wrong =>
  unknownAmong("unknown field", name, known)

/** A field in the wrong place, or with a wrong name; `meant` is the right path. */
export const misplacedField = (name: string, meant: string): Wrong => ({
  message: sentence("unknown field", meant),
  found: show(name),
  nearest: meant
})

/** `is required`, and what for, or what it could be: ` for crash`, `: export default …`. */
export const missing = (rest = ""): Wrong => ({ message: `is required${rest}` })
