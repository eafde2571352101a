import { assert, describe, it } from "@effect/vitest"
import { CompileFault, compile, listOf, Meter, objectOf, STRING, sized } from "@rollcall/cel"
import { shown } from "./shown.ts"

const self = objectOf(
  new Map([
    ["s", STRING],
    ["l", listOf(sized(STRING, 10, 0), 10)]
  ]),
  2,
  "Self"
)

const answerTo = (text: string): string => {
  const compiled = compile(text, { self }, self)
  if (compiled instanceof CompileFault) return compiled.message.split("\n")[0] ?? ""
  return shown(compiled.program({ self: "S" }, new Meter()))
}

/** Kubernetes' answers, each the first line. */
const answers: ReadonlyArray<readonly [text: string, answer: string]> = [
  [".5 + 1.0", "double(1.5)"],
  ["size(b'é')", "2"],
  ["b'é\\xff😀' == b'\\xc3\\xa9\\377\\xf0\\x9f\\x98\\x80'", "true"],
  ["br'é\\n' == b'\\303\\251\\x5cn'", "true"],
  ["size({dyn(1.5): 1, dyn([1]): 2})", "2"],
  [
    "'%s'.format([{1.5: 'a'}]) == ''",
    "error(error during formatting: no formatting function for map key of type double)"
  ],
  [`1${"+1".repeat(250)}`, "251"],
  [`1${"+1".repeat(251)}`, "ERROR: <input>:-1:0: max recursion depth exceeded"],
  [`[1].map(x, x${" == x".repeat(250)})`, "ERROR: <input>:-1:0: max recursion depth exceeded"],
  [`true${"&&true".repeat(400)}`, "true"],
  ["[.5, -.25][1]", "double(-0.25)"],
  ["-.5e1", "double(-5)"],
  ["1. < 2.0", "ERROR: <input>:1:4: Syntax error: no viable alternative at input '. <'"],
  ["[,]", "[]"],
  ["[ , ]", "[]"],
  ["{,}", "{}"],
  ["1 in [,]", "false"],
  ["[,1]", "ERROR: <input>:1:3: Syntax error: extraneous input '1' expecting ']'"],
  [".self", '"S"'],
  ["[1].map(x, .x)", "[1]"],
  [".size([1, 2])", "2"],
  [".type(1) == .int", "true"],
  [".other", "ERROR: <input>:1:2: undeclared reference to '.other' (in container '')"],
  [".other()", "ERROR: <input>:1:7: undeclared reference to '.other' (in container '')"],
  [".has(self.s)", "ERROR: <input>:1:5: undeclared reference to '.has' (in container '')"],
  ["..self", "ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'"],
  ["'\\q'", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''\\q'"],
  ["'a\tb\nc'", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''a\tb"],
  ["'\\400'", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''\\4'"],
  ["'\\ud800'", "ERROR: <input>:1:1: invalid unicode code point"],
  ["b'\\u0041'", "ERROR: <input>:1:1: unable to unescape string"],
  ["18446744073709551616u", "ERROR: <input>:1:1: invalid uint literal"],
  ["1e999", "ERROR: <input>:1:1: invalid double literal"],
  ["self.`s`", "ERROR: <input>:1:6: unsupported syntax: '`'"],
  ["!-1 == 1", "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'"],
  ["-!true", "ERROR: <input>:1:2: Syntax error: no viable alternative at input '-!'"]
]

/** Kubernetes' answers with more than one line, by the messages in them. */
const faultsOf: ReadonlyArray<readonly [text: string, ...faults: ReadonlyArray<string>]> = [
  [
    "if ? for : while",
    "1:1: reserved identifier: if",
    "1:6: reserved identifier: for",
    "1:12: reserved identifier: while"
  ],
  ["return true", "1:1: reserved identifier: return", "1:8: Syntax error: extraneous input 'true' expecting <EOF>"],
  [".let(1) x", "1:1: reserved identifier: let", "1:9: Syntax error: extraneous input 'x' expecting <EOF>"],
  [
    "[for, self.for",
    "1:2: reserved identifier: for",
    "1:15: Syntax error: mismatched input '<EOF>' expecting {']', ','}"
  ],
  ["if (self", "1:1: reserved identifier: if", "1:9: Syntax error: missing ')' at '<EOF>'"],
  ["return{a: 1} x", "1:14: Syntax error: extraneous input 'x' expecting <EOF>"]
]

describe("reserved names", () => {
  for (const [text, ...faults] of faultsOf) {
    it(`are found beside other faults of ${text}`, () => {
      const compiled = compile(text, { self }, self)
      const shownFaults = compiled instanceof CompileFault ? compiled.message.split("\n") : []
      const found = shownFaults.filter((line) => line.startsWith("ERROR")).map((line) => line.slice(15))
      assert.deepStrictEqual(found, faults)
    })
  }
})

describe("the grammar", () => {
  it.each(answers)("%s", (text, answer) => {
    assert.strictEqual(answerTo(text), answer)
  })

  it("goes on after a missing operand before an operator", () => {
    const faults = (text: string) => {
      const compiled = compile(text, { self }, self)
      const lines = compiled instanceof CompileFault ? compiled.message.split("\n") : []
      return lines.filter((line) => line.startsWith("ERROR: ")).map((line) => line.split(" expecting ")[0])
    }
    assert.deepStrictEqual(faults("*"), [
      "ERROR: <input>:1:1: Syntax error: mismatched input '*'",
      "ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>'"
    ])
    assert.deepStrictEqual(faults("in == 1"), [
      "ERROR: <input>:1:1: Syntax error: mismatched input 'in'",
      "ERROR: <input>:1:4: Syntax error: extraneous input '=='"
    ])
    assert.deepStrictEqual(faults("(*)"), [
      "ERROR: <input>:1:2: Syntax error: mismatched input '*'",
      "ERROR: <input>:1:3: Syntax error: mismatched input ')'"
    ])
  })

  it("has no call that ends with a comma, and no condition in a condition's first part", () => {
    assert.match(answerTo("size(self.l,)"), /^ERROR: <input>:1:13: Syntax error: mismatched input '\)' expecting/)
    assert.match(
      answerTo("true ? true ? true : false : false"),
      /^ERROR: <input>:1:13: Syntax error: mismatched input '\?'/
    )
    assert.match(answerTo("0X1F"), /^ERROR: <input>:1:2: Syntax error: extraneous input 'X1F'/)
  })
})
