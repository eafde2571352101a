import { didYouMean, type Place, type Problem, show } from "@rollcall/input"
import * as Predicate from "effect/Predicate"

type Fields = Readonly<Record<string, unknown>>

/** Reads a parsed configuration, and collects all problems. Absent and null values get the fallback. */
export class Reader {
  readonly problems: Array<Problem> = []
  readonly warnings: Array<string> = []
  readonly #place: Place
  readonly #isLeftOpen: (plugin: string) => boolean

  /** `place`: where the configuration stands; `isLeftOpen`: whether an unknown plugin name is accepted. */
  constructor(place: Place, isLeftOpen: (plugin: string) => boolean = () => false) {
    this.#place = place
    this.#isLeftOpen = isLeftOpen
  }

  expected(path: string, value: unknown, expected: string, suggestion = ""): void {
    this.#refuse(path, show(value), expected, suggestion)
  }

  #refuse(path: string, found: string, expected: string, suggestion: string): void {
    const { file, path: base } = this.#place
    const at = [base, path].filter((part) => part !== "").join(".")
    this.problems.push({ file, path: at, message: `found ${found}, expected ${expected}${suggestion}` })
  }

  /** Reads the name of one of these plugins. */
  plugin(value: unknown, path: string, expected: string, known: ReadonlyArray<string>): string {
    const name = this.text(value, path) ?? ""
    if (!known.includes(name) && !this.#isLeftOpen(name)) {
      this.expected(path, value, expected, didYouMean(name, known))
    }
    return name
  }

  unsupported(path: string): void {
    this.warnings.push(`${path} is not supported and has no effect`)
  }

  /** Reads an object with these fields: an unknown field is a problem. */
  object(value: unknown, path: string, known: ReadonlyArray<string>): Fields {
    if (value === undefined || value === null) return {}
    if (!Predicate.isReadonlyObject(value)) {
      this.expected(path, value, "an object")
      return {}
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue
      const at = path === "" ? name : `${path}.${name}`
      this.#refuse(at, "an unknown field", `one of ${known.join(", ")}`, didYouMean(name, known))
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

  oneOf<Name extends string>(value: unknown, path: string, names: ReadonlyArray<Name>): Name | undefined {
    if (value === undefined || value === null) return undefined
    const found = names.find((name) => name === value)
    if (found === undefined) {
      const near = typeof value === "string" ? didYouMean(value, names) : ""
      this.expected(path, value, `one of ${names.join(", ")}`, near)
    }
    return found
  }

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
