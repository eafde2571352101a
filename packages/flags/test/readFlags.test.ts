import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { flag, ineffectiveFlag, readFlags, writeFlags } from "../src/index.ts"
import { command, flags, problemOf, read, readOrFail, strictCommand } from "./tables.ts"

describe("the words of a command line", () => {
  it("leave every flag as it is when none is given", () => {
    const { given, operands, values } = readOrFail()
    assert.deepStrictEqual([given.size, operands], [0, []])
    assert.deepInclude(values, { name: "x", grace: 1000, count: 1, rate: 0.5, quiet: false, mode: "fast" })
    assert.deepInclude(values, { zones: [], set: [], labels: {}, "dry-run": "none", seed: undefined })
  })

  const accepted: ReadonlyArray<readonly [string, object]> = [
    ["--name=y", { name: "y" }],
    ["--name y", { name: "y" }],
    ["--name=a=b", { name: "a=b" }],
    ["--name=", { name: "" }],
    ["--name --quiet", { name: "--quiet", quiet: false }],
    ["-n y", { name: "y" }],
    ["-ny", { name: "y" }],
    ["-n=y", { name: "y" }],
    // As pflag: one letter behind the equals sign is needed.
    ["-n=", { name: "=" }],
    ["-qA", { quiet: true, all: true }],
    ["-qAny", { quiet: true, all: true, name: "y" }],
    ["-q=false", { quiet: false }],
    ["--quiet", { quiet: true }],
    ["--quiet=F", { quiet: false }],
    ["--dry-run", { "dry-run": "client" }],
    ["--dry-run=server", { "dry-run": "server" }],
    ["--dry_run=server", { "dry-run": "server" }],
    ["--count=0x1f", { count: 31 }],
    ["--count=017", { count: 15 }],
    ["--count=1_0", { count: 10 }],
    ["--seed=-3", { seed: -3 }],
    ["--rate=.5e1", { rate: 5 }],
    ["--grace 1h30m", { grace: 5_400_000 }],
    ["--mode=slow", { mode: "slow" }],
    ["--zones=a,b --zones c", { zones: ["a", "b", "c"] }],
    ['--zones="a,b",c', { zones: ["a,b", "c"] }],
    ["--set a,b --set c", { set: ["a,b", "c"] }],
    ["--labels=k=v,l= --labels=m=a=b", { labels: { k: "v", l: "", m: "a=b" } }],
    ["--name=a --name=b", { name: "b" }]
  ]
  for (const [line, values] of accepted) {
    it(`are read: ${line}`, () => assert.deepInclude(readOrFail(...line.split(" ")).values, values))
  }

  it("are operands where no dash is, a dash by itself, and all behind two dashes", () => {
    assert.deepStrictEqual(readOrFail("a", "-q", "b", "-", "--", "-q", "--", "c").operands, [
      "a",
      "b",
      "-",
      "-q",
      "--",
      "c"
    ])
    // A switch takes no next word.
    assert.deepStrictEqual(readOrFail("--quiet", "false").operands, ["false"])
  })

  it("ask for help by --help, -h and -qh, and then need nothing else", () => {
    for (const word of ["--help", "-h", "-qh"]) assert.isTrue(readOrFail(word).help)
    assert.isFalse(readOrFail("--help=false").help)
    assert.isFalse(readOrFail("--", "--help").help)
    assert.isTrue(Result.isSuccess(readFlags(strictCommand, ["--help"])))
    assert.isFalse(readOrFail("--help").given.has("help"))
  })

  const refused: ReadonlyArray<readonly [string, string]> = [
    ["--nam=x", 'unknown flag: --nam; did you mean "--name"?'],
    ["--entirely-else", "unknown flag: --entirely-else"],
    ["--dry_runs", 'unknown flag: --dry_runs; did you mean "--dry-run"?'],
    ["---name", "bad flag syntax: ---name"],
    ["--=x", "bad flag syntax: --=x"],
    ["-x", "unknown shorthand flag: 'x' in -x"],
    ["-qx", "unknown shorthand flag: 'x' in -x"],
    ["-zones=a", `unknown shorthand flag: 'z' in -zones=a; did you mean "--zones"?`],
    ["--name", "flag needs an argument: --name; expected a text"],
    ["-qn", "flag needs an argument: 'n' in -n; expected a text"],
    [
      "--count=many",
      'invalid argument "many" for "-c, --count" flag: strconv.ParseInt: parsing "many": invalid syntax; expected a whole number from 0 to 100'
    ],
    [
      "-c1.5",
      'invalid argument "1.5" for "-c, --count" flag: strconv.ParseInt: parsing "1.5": invalid syntax; expected a whole number from 0 to 100'
    ],
    [
      "--count=101",
      'invalid argument "101" for "-c, --count" flag: value out of range; expected a whole number from 0 to 100'
    ],
    [
      "--seed=9223372036854775809",
      'invalid argument "9223372036854775809" for "--seed" flag: strconv.ParseInt: parsing "9223372036854775809": value out of range; expected a whole number'
    ],
    [
      "--rate=",
      'invalid argument "" for "--rate" flag: strconv.ParseFloat: parsing "": invalid syntax; expected a number'
    ],
    [
      "--quiet=maybe",
      'invalid argument "maybe" for "-q, --quiet" flag: strconv.ParseBool: parsing "maybe": invalid syntax; expected true or false'
    ],
    ["--mode=slo", 'invalid argument "slo" for "--mode" flag: must be one of fast, slow; did you mean "slow"?'],
    [
      "--labels=k",
      'invalid argument "k" for "--labels" flag: malformed pair, expect string=string; expected key=value pairs separated by commas'
    ],
    [
      '--zones=a"b',
      'invalid argument "a\\"b" for "--zones" flag: parse error on line 1, column 2: bare " in non-quoted field; expected texts separated by commas'
    ]
  ]
  for (const [line, message] of refused) {
    it(`are refused: ${line}`, () => assert.strictEqual(problemOf(command, ...line.split(" ")), message))
  }

  const durations: ReadonlyArray<readonly [string, string]> = [
    ["5", 'time: missing unit in duration "5"'],
    ["soon", 'time: invalid duration "soon"'],
    ["", 'time: invalid duration ""'],
    ["1m2", 'time: missing unit in duration "1m2"'],
    ["5y", 'time: unknown unit "y" in duration "5y"'],
    ["1s-1s", 'time: unknown unit "s-" in duration "1s-1s"'],
    ["9999999999h", 'time: invalid duration "9999999999h"']
  ]
  for (const [text, reason] of durations) {
    it(`are refused in the words of Go's time: ${text}`, () =>
      assert.strictEqual(
        problemOf(command, `--grace=${text}`),
        `invalid argument ${JSON.stringify(text)} for "--grace" flag: ${reason}; expected a duration such as 40s or 5m`
      ))
  }

  it("are counted, and a flag that is required is missed", () => {
    assert.strictEqual(problemOf(strictCommand), 'required flag(s) "vary" not set; expected a text')
    assert.strictEqual(problemOf(strictCommand, "--vary=a", "b"), 'tool does not take any arguments, got ["b"]')
    const ranged = { ...strictCommand, flags: {}, operands: { usage: "FILE", min: 1, max: 1 } }
    assert.strictEqual(problemOf(ranged), "requires at least 1 arg(s), only received 0; expected FILE")
    assert.strictEqual(problemOf(ranged, "a", "b"), "accepts at most 1 arg(s), received 2; expected FILE")
  })

  it("put the first list given in the place of a default, and add the others to it", () => {
    const listed = { flags: { pods: { ...flag.texts("what"), initial: ["*"] } } }
    const pods = (...args: ReadonlyArray<string>) => Result.getOrThrow(readFlags(listed, args)).values.pods
    assert.deepStrictEqual([pods(), pods("--pods=a", "--pods=b")], [["*"], ["a", "b"]])
  })

  it("name a flag of the real component in a warning, once, and take the next word for its value", () => {
    const { given, ineffective, operands, values } = readOrFail("--old-flag", "5", "--old-flag=6", "--name=y")
    assert.deepStrictEqual(
      [...ineffective].map(([name, at]) => `${at} ${ineffectiveFlag(name)}`),
      ["0 --old-flag is not supported and has no effect"]
    )
    assert.deepStrictEqual([values.name, operands, [...given]], ["y", [], ["name"]])
  })
})

describe("a command line of any words", () => {
  const names = Object.keys(flags).flatMap((name) => [`--${name}`, `--${name}=`, `-${name}`, `-${name[0]}`])
  const word = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      ...names,
      "--",
      "-",
      "---",
      "-qA",
      "--help",
      "--old-flag",
      "__proto__=x",
      "--__proto__",
      "--labels=__proto__=1"
    ),
    fc.tuple(fc.constantFrom(...names), fc.string()).map(([name, text]) => `${name}${text}`)
  )

  it("is read or refused, never thrown at, and loses no operand behind two dashes", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(fc.string(), { maxLength: 3 }), (words, operands) => {
        const result = read(...words, "--quiet", "--", ...operands)
        if (Result.isFailure(result)) return assert.isString(result.failure.message)
        assert.deepStrictEqual(result.success.operands.slice(-operands.length || Number.POSITIVE_INFINITY), operands)
      })
    )
  })
})

describe("a command line written from values", () => {
  const token = fc.string().map((text) => text.replaceAll(/[,=]/g, "").trim())
  const someValues = fc.record({
    name: fc.string(),
    grace: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
    count: fc.integer({ min: 0, max: 100 }),
    rate: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    quiet: fc.boolean(),
    all: fc.boolean(),
    mode: fc.constantFrom("fast" as const, "slow" as const),
    zones: fc.array(fc.string(), { minLength: 1 }),
    set: fc.array(fc.string(), { minLength: 1 }),
    labels: fc.dictionary(
      token.filter((key) => key !== "" && key !== "__proto__"),
      token,
      { minKeys: 1, noNullPrototype: true }
    ),
    "dry-run": fc.string(),
    seed: fc.option(fc.integer(), { nil: undefined })
  })

  it("says the same when it is read", () => {
    fc.assert(
      fc.property(someValues, (values) => {
        assert.deepStrictEqual(readOrFail(...writeFlags(flags, values)).values, values)
      })
    )
  })
})
