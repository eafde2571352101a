import { CelError, CelList, CompileFault, CostExceeded, compile, DYN, Meter, type Value } from "@rollcall/cel"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { ItemList } from "../src/values.ts"

const compiled = new Map<string, ReturnType<typeof compile>>()

/** Evaluates an expression over `x` and `y`; undefined if it costs too much. */
const evaluate = (
  text: string,
  x: Value,
  y: Value = null
): { readonly value: Value | undefined; readonly meter: Meter } => {
  const made = compiled.get(text) ?? compile(text, { x: DYN, y: DYN }, DYN)
  compiled.set(text, made)
  if (made instanceof CompileFault) throw new Error(made.message)
  const meter = new Meter()
  try {
    return { value: made.program({ x, y }, meter), meter }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { value: undefined, meter }
  }
}

const holds = (text: string, x: Value, y?: Value): void => {
  const { value } = evaluate(text, x, y)
  assert.strictEqual(value instanceof CelError ? value.message : value, true, text)
}

const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const text = fc.string({ unit: "binary", maxLength: 20 })
const listOf = <A extends Value>(item: fc.Arbitrary<A>, maxLength = 40) =>
  fc.array(item, { maxLength }).map((items) => new ItemList(items))
/** Lists of lists of numbers, of any depth. */
const { tree } = fc.letrec<{ tree: ItemList; node: Value }>((tie) => ({
  tree: fc.array(tie("node"), { maxLength: 4 }).map((items) => new ItemList(items)),
  node: fc.oneof({ maxDepth: 4 }, fc.bigInt({ min: 0n, max: 9n }), tie("tree"))
}))

/** The numbers in a tree, from left to right. */
const leaves = (value: Value): ReadonlyArray<Value> =>
  value instanceof CelList ? Array.from(value).flatMap((item) => leaves(item)) : [value]

const items = (value: Value | undefined): ReadonlyArray<Value> => {
  assert.isTrue(value instanceof CelList)
  return Array.from(value as CelList)
}

describe("the functions of lists", () => {
  it("sort to a sorted list of the same items, which stays as it is", () => {
    fc.assert(
      fc.property(fc.oneof(listOf(int), listOf(text), listOf(fc.double({ noNaN: true }))), (list) => {
        holds("x.sort().isSorted() && x.sort() == x.sort().sort() && x.sort().size() == x.size()", list)
        holds("x.all(e, x.filter(o, o == e).size() == x.sort().filter(o, o == e).size())", list)
        holds("x.sortBy(e, e) == x.sort() && x.sort().reverse() == x.sortBy(e, e).reverse()", list)
      }),
      { numRuns: 60 }
    )
  })

  it("reverse back, and take a list apart and put it together", () => {
    fc.assert(
      fc.property(listOf(int), fc.nat(40), (list, at) => {
        holds("x.reverse().reverse() == x && x.first() == x.reverse().last()", list)
        const cut = BigInt(Math.min(at, list.size))
        holds("x.slice(0, y) + x.slice(y, x.size()) == x", list, cut)
      })
    )
  })

  it("flatten to the same leaves, all at once or level by level", () => {
    fc.assert(
      fc.property(tree, (list) => {
        assert.deepStrictEqual(items(evaluate("x.flatten(9)", list).value), leaves(list))
        holds("x.flatten(1).flatten(1).flatten(1) == x.flatten(3) && x.flatten(0) == x", list)
      })
    )
  })

  it("keep one item of those that are equal", () => {
    fc.assert(
      fc.property(listOf(fc.bigInt({ min: 0n, max: 5n })), (list) => {
        holds("x.distinct().distinct() == x.distinct() && sets.equivalent(x, x.distinct())", list)
        holds("x.distinct().all(e, x.distinct().filter(o, o == e).size() == 1)", list)
      })
    )
  })

  it("end with the cost limit before they make more than it allows", () => {
    fc.assert(
      fc.property(int, (size) => {
        const { meter, value } = evaluate("lists.range(x).reverse()", size)
        const made = value === undefined ? 0 : items(value).length
        assert.isAtMost(made, 1_000_000)
        assert.strictEqual(value === undefined, size >= 499_989n, String(meter.cost))
      }),
      { examples: [[499_988n], [499_989n], [2n ** 63n - 1n]], numRuns: 30 }
    )
  })
})

describe("the functions of texts", () => {
  it("quote a text to the literal of it", () => {
    fc.assert(
      fc.property(text, (value) => {
        const { value: quoted } = evaluate("strings.quote(x)", value)
        assert.isString(quoted)
        const literal = compile(String(quoted), {}, DYN)
        if (literal instanceof CompileFault) throw new Error(literal.message)
        assert.strictEqual(literal.program({}, new Meter()), value)
      })
    )
  })

  it("format integers so that they can be read again", () => {
    fc.assert(
      fc.property(int, (value) => {
        const written = (prefix: string, digits: Value | undefined) =>
          BigInt(String(digits).replace(/^-?/, `${prefix}`)) * (value < 0n ? -1n : 1n)
        assert.strictEqual(evaluate("'%d'.format([x])", value).value, String(value))
        assert.strictEqual(written("0x", evaluate("'%x'.format([x])", value).value), value)
        assert.strictEqual(written("0o", evaluate("'%o'.format([x])", value).value), value)
        assert.strictEqual(written("0b", evaluate("'%b'.format([x])", value).value), value)
      })
    )
  })

  it("format doubles to the nearest decimal", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20), (value, places) => {
        const { value: shown } = evaluate(`'%.${places}f'.format([x])`, value)
        const digits = String(shown).replaceAll(",", "")
        assert.match(digits, places === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${places}}$`))
        if (Math.abs(value) < 1e21)
          assert.closeTo(Number(digits), value, 0.51 * 10 ** -places + Math.abs(value) * 1e-15)
        const exponent = String(evaluate("'%e'.format([x])", value).value)
        const [mantissa = "", power = ""] = exponent.split("×10")
        const ascii = Array.from(power, (each) => (each === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(each))).join("")
        const read = Number(`${mantissa}e${ascii}`)
        assert.isAtMost(Math.abs(read - value), Math.abs(value) * 1e-6)
      })
    )
  })
})
