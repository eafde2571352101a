import { assert, describe, it } from "@effect/vitest"
import { type Compiled, CompileFault, compile } from "../../src/cel/compile.ts"
import { Meter } from "../../src/cel/Meter.ts"
import { STRING } from "../../src/cel/types.ts"
import { CelError, type Value } from "../../src/cel/values.ts"

const compiled = (text: string): Compiled => {
  const made = compile(text, { self: STRING }, STRING)
  if (made instanceof CompileFault) throw new Error(made.message)
  return made
}

const fault = (text: string): string => {
  const made = compile(text, { self: STRING }, STRING)
  return made instanceof CompileFault ? made.message : "none"
}

const run = (text: string): { readonly value: Value; readonly cost: number } => {
  const meter = new Meter()
  return { value: compiled(text).program({ self: "" }, meter), cost: meter.cost }
}

/** Expressions and what they give; an error by a part of its message. */
const gives = (cases: ReadonlyArray<readonly [expression: string, value: Value | RegExp]>) => {
  for (const [text, wanted] of cases) {
    const { value } = run(text)
    if (wanted instanceof RegExp) {
      assert.match(value instanceof CelError ? value.message : "no error", wanted, text)
    } else assert.deepStrictEqual([text, value], [text, wanted])
  }
}

/** Expressions with what they cost at most, and when they run: figures of cost_test.go. */
const cost = (cases: ReadonlyArray<readonly [expression: string, most: number, run: number]>) => {
  for (const [text, most, wanted] of cases) {
    assert.deepStrictEqual([text, compiled(text).maxCost, run(text).cost], [text, most, wanted])
  }
}

describe("quantities", () => {
  it("are parsed, compared and computed with", () =>
    gives([
      ["quantity('10Mo')", /^quantities must match the regular expression/],
      ["quantity('10Mm')", /unable to parse quantity's suffix/],
      ["isQuantity('20')", true],
      ["isQuantity('20M')", true],
      ["isQuantity('20Mi')", true],
      ["isQuantity('20Mo')", false],
      ["isQuantity('10Mm')", false],
      ["quantity('200M') == quantity('0.2G') && quantity('0.2G') == quantity('200M')", true],
      ["quantity('200M') == quantity('0.3G')", false],
      ["quantity('200M') != quantity('0.3G')", true],
      ["quantity('-1') == quantity('1') || quantity('0') != quantity('0.0')", false],
      ["quantity('1k') in [quantity('1000')]", true],
      ["quantity('50M').isLessThan(quantity('50Mi'))", true],
      ["quantity('100M').isLessThan(quantity('50M'))", false],
      ["quantity('50Mi').isGreaterThan(quantity('50M'))", true],
      ["quantity('50M').isGreaterThan(quantity('100M'))", false],
      ["quantity('200M').compareTo(quantity('0.2G'))", 0n],
      ["quantity('50M').compareTo(quantity('50Mi'))", -1n],
      ["quantity('50Mi').compareTo(quantity('50M'))", 1n],
      ["quantity('50k').add(quantity('20')) == quantity('50.02k')", true],
      ["quantity('50k').add(20).isLessThan(quantity('50020'))", false],
      ["quantity('50k').sub(quantity('20')) == quantity('49.98k')", true],
      ["quantity('50k').sub(20) == quantity('49980')", true],
      ["quantity('50k').add(20).sub(quantity('100k')).asInteger()", -49980n],
      ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger()", 20n],
      ["quantity('9999999999999999999999999999999999999G').asInteger()", /^cannot convert value to integer$/],
      ["quantity('9999999999999999999999999999999999999G').isInteger()", false],
      ["quantity('50').isInteger()", true],
      ["quantity('0.5').isInteger()", false],
      ["quantity('50.703k').asApproximateFloat()", 50703],
      ["[sign(quantity('-2')), sign(quantity('0')), sign(quantity('1n'))] == [-1, 0, 1]", true],
      ["type(quantity('1')) == type(quantity('2'))", true],
      ["dyn(quantity('1')) == dyn('1')", false]
    ]))

  it("are told from other types where a rule is written", () => {
    assert.match(fault("isQuantity([1, 2, 3])"), /found no matching overload for 'isQuantity' applied to/)
    assert.match(fault("quantity('1') == '1'"), /applied to '\(kubernetes.Quantity, string\)'/)
    assert.match(fault("quantity('1').value"), /undefined field 'value'/)
  })

  it("cost what they cost Kubernetes", () =>
    cost([
      ["quantity('12Mi')", 1, 1],
      ["isQuantity('20')", 1, 1],
      ["quantity('200M') == quantity('200M')", 3, 3],
      ["quantity('200M') == quantity('0.2G') && quantity('0.2G') == quantity('200M')", 6, 6],
      ["quantity('50M').isLessThan(quantity('50Mi'))", 3, 3],
      ["quantity('200M').compareTo(quantity('0.2G')) > 0", 4, 4],
      ["quantity('50k').add(quantity('20')) == quantity('50.02k')", 5, 5],
      ["quantity('50k').sub(20) == quantity('49980')", 4, 4],
      ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger() > 0", 7, 7],
      ["quantity('50k').asInteger() > 0", 3, 3],
      ["quantity('50').isInteger()", 2, 2],
      ["quantity('50.703k').asApproximateFloat() > 0.0", 3, 3]
    ]))
})
