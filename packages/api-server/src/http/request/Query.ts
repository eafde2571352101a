import { badRequest, type Status } from "@rollcall/api"

/** Raised within a handler where a parameter cannot be read; it never leaves the handler. */
export class Refused {
  readonly status: Status

  constructor(status: Status) {
    this.status = status
  }
}

const NOTHING = new URLSearchParams()

/** The parameters of a request, read as Go's converters read them. Upstream: apimachinery/pkg/conversion/queryparams. */
export class Query {
  private readonly values: URLSearchParams

  constructor(text: string) {
    this.values = text === "" ? NOTHING : new URLSearchParams(text)
  }

  get empty(): boolean {
    return this.values === NOTHING
  }

  /** Undefined when it is absent. */
  text(name: string): string | undefined {
    return this.values.get(name) ?? undefined
  }

  all(name: string): ReadonlyArray<string> {
    return this.values.getAll(name)
  }

  /** All of it, by name. */
  lists(): ReadonlyMap<string, ReadonlyArray<string>> {
    const lists = new Map<string, Array<string>>()
    for (const [name, value] of this.values) {
      const known = lists.get(name)
      if (known === undefined) lists.set(name, [value])
      else known.push(value)
    }
    return lists
  }

  /** Everything but `false` and `0` is true. */
  flag(name: string): boolean | undefined {
    const text = this.values.get(name)
    return text === null ? undefined : text.toLowerCase() !== "false" && text !== "0"
  }

  /** Throws `Refused` when it is no integer of 64 bits. */
  integer(name: string): number | undefined {
    const text = this.values.get(name)
    if (text === null || text === "") return undefined
    const quoted = JSON.stringify(text)
    if (!/^[+-]?\d+$/.test(text)) throw new Refused(badRequest(`strconv.ParseInt: parsing ${quoted}: invalid syntax`))
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) !== value) {
      throw new Refused(badRequest(`strconv.ParseInt: parsing ${quoted}: value out of range`))
    }
    return Number(value)
  }
}
