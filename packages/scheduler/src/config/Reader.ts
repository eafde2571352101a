import { type Place, type Problem, problemAt, type Wrong, wrongChoice, wrongValue } from "@rollcall/input"
import * as Predicate from "effect/Predicate"

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the values of a parsed configuration and collects all problems, instead of ending at the first. A value that is
 * absent, null or wrong reads as undefined, or as an empty object, list or text.
 */
export class Reader {
  readonly problems: Array<Problem> = []
  readonly warnings: Array<string> = []
  readonly #place: Place
  readonly #acceptsUnknown: (plugin: string) => boolean

  /**
   * `place` is the file and path of the configuration; `acceptsUnknown` says whether an unknown plugin name is
   * accepted.
   */
  constructor(place: Place, acceptsUnknown: (plugin: string) => boolean = () => false) {
    this.#place = place
    this.#acceptsUnknown = acceptsUnknown
  }

  /**
   * Adds the problem that a value is not what is expected, in words. `names` are the permitted values, of which the
   * message suggests the most similar.
   */
  expected(path: string, value: unknown, expected: string, names: ReadonlyArray<string> = []): void {
    this.#addProblem(path, wrongValue(value, expected, { names }))
  }

  #addProblem(path: string, wrong: Wrong): void {
    const { file, path: base } = this.#place
    this.problems.push(problemAt(file, [base, path].filter((part) => part !== "").join("."), wrong))
  }

  /** Reads the name of one of the known plugins. */
  plugin(value: unknown, path: string, expected: string, known: ReadonlyArray<string>): string {
    const name = this.text(value, path) ?? ""
    if (!known.includes(name) && !this.#acceptsUnknown(name)) {
      this.expected(path, value, expected, known)
    }
    return name
  }

  /** Adds the warning that kube-scheduler knows this field, but that it has no effect here. */
  unsupported(path: string): void {
    this.warnings.push(`${path} is not supported and has no effect`)
  }

  /** Reads an object; a field that is not known is a problem. */
  object(value: unknown, path: string, known: ReadonlyArray<string>): Fields {
    if (value === undefined || value === null) return {}
    if (!Predicate.isReadonlyObject(value)) {
      this.expected(path, value, "an object")
      return {}
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue
      const at = path === "" ? name : `${path}.${name}`
      this.#addProblem(
        at,
        wrongValue(name, `one of ${known.join(", ")}`, { names: known, shown: () => "an unknown field" })
      )
    }
    return value
  }

  list(value: unknown, path: string): ReadonlyArray<unknown> {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value
    this.expected(path, value, "a list")
    return []
  }

  text(value: unknown, path: string): string | undefined {
    if (value === undefined || value === null) return undefined
    if (typeof value === "string") return value
    this.expected(path, value, "a text")
    return undefined
  }

  /** Reads one of these names. */
  oneOf<Name extends string>(value: unknown, path: string, names: ReadonlyArray<Name>): Name | undefined {
    if (value === undefined || value === null) return undefined
    const found = names.find((name) => name === value)
    if (found === undefined) this.#addProblem(path, wrongChoice(value, names))
    return found
  }

  /** Reads a whole number from `least` to `most`. */
  integer(value: unknown, path: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    if (value === undefined || value === null) return undefined
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
    this.expected(path, value, `a whole number ${range}`)
    return undefined
  }

  boolean(value: unknown, path: string): boolean | undefined {
    if (value === undefined || value === null || typeof value === "boolean") return value ?? undefined
    this.expected(path, value, "true or false")
    return undefined
  }
}
