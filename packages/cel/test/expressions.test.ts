import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  CelError,
  type CelType,
  CompileFault,
  CostExceeded,
  compile,
  DOUBLE,
  DYN,
  INT,
  listOf,
  Meter,
  mapOf,
  objectOf,
  STRING,
  sized,
  type Value
} from "@rollcall/cel"
import { shownType } from "../src/types.ts"
import { EntryMap, ItemList } from "../src/values.ts"
import { shown } from "./shown.ts"

/** An expression, and what Kubernetes 1.36.2's CEL makes of it. */
interface Recorded {
  readonly expr: string
  /** The environment: that of device selectors, that of mutations, or that of rules. */
  readonly env?: "dra" | "patch"
  /** Why it cannot be compiled, or instantiated. */
  readonly fault?: string
  readonly program?: string
  readonly type?: string
  /** The greatest estimated cost, and the actual one. */
  readonly max?: string
  readonly cost?: number
  readonly value?: string
  readonly error?: string
}

const recorded: ReadonlyArray<Recorded> = readFileSync(new URL("expressions.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

const text = sized(STRING, 100, 0)
const self: CelType = objectOf(
  new Map<string, CelType>([
    ["s", text],
    ["i", INT],
    ["d", DOUBLE],
    ["ls", listOf(text, 10)],
    ["li", listOf(INT, 20)],
    ["ll", listOf(listOf(INT, 5), 7)],
    ["m", mapOf(text, text, 6)]
  ]),
  2,
  "Self"
)

const list = (...items: ReadonlyArray<Value>): Value => new ItemList([...items])
const map = (fields: Readonly<Record<string, Value>>): Value => new EntryMap(new Map(Object.entries(fields)))
const variables = {
  self: map({
    s: "héllo",
    i: 3n,
    d: 2.5,
    ls: list("b", "a", "c"),
    li: list(3n, 1n, 2n),
    ll: list(list(1n), list(2n, 3n)),
    m: map({ k: "v", a: "b" })
  }),
  dd: list(3n, "x", 1n)
}

const additions = {
  dra: { bindings: true, sizedVariable: "self" },
  patch: { messageTypeOf: () => undefined }
} as const

/** Returns what we make of an expression, in the form of the recording. */
const made = ({ env, expr }: Recorded): Recorded => {
  const compiled = compile(expr, { self, dd: DYN }, self, env === undefined ? {} : additions[env])
  const asked = { expr, ...(env === undefined ? {} : { env }) }
  if (compiled instanceof CompileFault) {
    return compiled.phase === "instantiation"
      ? { ...asked, program: compiled.message }
      : { ...asked, fault: compiled.message }
  }
  const about = { ...asked, type: shownType(compiled.type), max: String(compiled.maxCost) }
  const meter = new Meter()
  try {
    const value = compiled.program(variables, meter)
    const { cost } = meter
    return value instanceof CelError
      ? { ...about, cost, error: value.message }
      : { ...about, cost, value: shown(value) }
  } catch (error) {
    assert.instanceOf(error, CostExceeded)
    return { ...about, error: error.message }
  }
}

/** The recording without what differs by design: a refused cost, estimates beyond a double, types of failed programs. */
const expected = ({ cost, max, type, ...rest }: Recorded): Recorded => ({
  ...rest,
  ...(rest.program !== undefined || type === undefined ? {} : { type }),
  ...(rest.program !== undefined || max === undefined ? {} : { max: String(Number(max)) }),
  ...(cost === undefined || rest.error?.startsWith("operation cancelled") === true ? {} : { cost })
})

describe("expressions", () => {
  const count = (what: (of: Recorded) => boolean) => recorded.filter(what).length

  it("are many, with errors of each kind", () => {
    assert.isAbove(recorded.length, 1000)
    assert.isAbove(
      count(({ fault }) => fault !== undefined),
      200
    )
    assert.isAbove(
      count(({ error }) => error !== undefined),
      150
    )
    assert.isAbove(
      count(({ error }) => error === "operation cancelled: actual cost limit exceeded"),
      9
    )
  })

  it("have Kubernetes' types, values, costs and errors", () => {
    for (const each of recorded) assert.deepStrictEqual(made(each), expected(each))
  })
})
