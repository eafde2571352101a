import type { FilterProgram } from "./Filter.ts"
import { filterOptions, withoutEnd } from "./filterOptions.ts"
import { type Search, searchFor } from "./ShellPattern.ts"

/** A line of the input, and its fields. */
interface AwkRecord {
  readonly text: string
  readonly fields: ReadonlyArray<string>
  readonly number: number
}

type Value = (record: AwkRecord) => string

interface AwkRule {
  readonly at: "line" | "END"
  readonly condition: (record: AwkRecord) => boolean | undefined
  readonly print: Value
}

const atoms: ReadonlyArray<readonly [pattern: RegExp, make: (found: string) => Value]> = [
  [
    /^\$0/,
    () =>
      ({ text }) =>
        text
  ],
  [
    /^\$NF/,
    () =>
      ({ fields }) =>
        fields.at(-1) ?? ""
  ],
  [
    /^\$\(NF-(\d+)\)/,
    (back) =>
      ({ fields }) =>
        fields[fields.length - 1 - Number(back)] ?? ""
  ],
  [
    /^\$(\d{1,4})/,
    (index) =>
      ({ fields }) =>
        fields[Number(index) - 1] ?? ""
  ],
  [
    /^NR\b/,
    () =>
      ({ number }) =>
        String(number)
  ],
  [
    /^NF\b/,
    () =>
      ({ fields }) =>
        String(fields.length)
  ],
  [/^(\d+(?:\.\d+)?)/, (number) => () => number],
  [
    /^"((?:[^"\\]|\\.)*)"/,
    (text) => {
      const plain = text.replace(/\\(.)/g, (_, letter: string) => ({ n: "\n", t: "\t" })[letter] ?? letter)
      return () => plain
    }
  ]
]

/** Reads a value at the start of a text, and returns it with what follows. */
const atomOf = (text: string): readonly [Value, string] | undefined => {
  for (const [pattern, make] of atoms) {
    const match = pattern.exec(text)
    if (match !== null) return [make(match[1] ?? ""), text.slice(match[0].length).trimStart()]
  }
  return undefined
}

/** Returns what `print` writes: values beside each other, or with a blank between those that a comma divides. */
const printed = (text: string): Value | undefined => {
  if (text.trim() === "") return (record) => record.text
  const values: Array<Value> = []
  let rest = text.trim()
  while (rest !== "") {
    const found = atomOf(rest)
    if (found === undefined) return undefined
    values.push(found[0])
    rest = found[1]
    if (!rest.startsWith(",")) continue
    values.push(() => " ")
    rest = rest.slice(1).trimStart()
    if (rest === "") return undefined
  }
  return (record) => values.map((value) => value(record)).join("")
}

const isNumber = (text: string): boolean => /^\s*-?\d+(?:\.\d+)?\s*$/.test(text)

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0
}

const searching =
  (search: Search, value: Value, isNegated: boolean): AwkRule["condition"] =>
  (record) => {
    const match = search(value(record), 0)
    return match === undefined ? undefined : (match !== null) !== isNegated
  }

/** Returns the condition before a rule's braces: a pattern, or a comparison of two values. */
const conditionOf = (text: string): AwkRule["condition"] | undefined => {
  if (text === "") return () => true
  const whole = /^(!?)\/((?:[^/\\]|\\.)+)\/$/.exec(text)
  if (whole !== null) {
    const search = searchFor((whole[2] ?? "").replaceAll("\\/", "/"), true, false)
    return search === undefined ? undefined : searching(search, (record) => record.text, whole[1] === "!")
  }
  const [left, rest] = atomOf(text) ?? []
  if (left === undefined || rest === undefined) return undefined
  const of = /^(!?)~\s*\/((?:[^/\\]|\\.)+)\/$/.exec(rest)
  if (of !== null) {
    const search = searchFor((of[2] ?? "").replaceAll("\\/", "/"), true, false)
    return search === undefined ? undefined : searching(search, left, of[1] === "!")
  }
  const [all = "", operator = ""] = /^(==|!=|<=|>=|<|>)/.exec(rest) ?? []
  const [right, end] = atomOf(rest.slice(all.length).trimStart()) ?? []
  const compare = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined
  if (compare === undefined || right === undefined || end !== "") return undefined
  return (record) => {
    const [a, b] = [left(record), right(record)]
    return compare(isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0)
  }
}

const rule = /^\s*(END|[^{}]*?)\s*\{\s*print\b\s*([^{}]*?)\s*;?\s*\}/

const MAX_PROGRAM = 1000

const rulesOf = (program: string): ReadonlyArray<AwkRule> | undefined => {
  if (program.length > MAX_PROGRAM) return undefined
  const rules: Array<AwkRule> = []
  let rest = program
  while (rest.trim() !== "") {
    const [all, before = "", values = ""] = rule.exec(rest) ?? []
    const at = before === "END" ? "END" : "line"
    const bare = all === undefined && !/[{}]/.test(rest) ? rest.trim() : undefined
    const condition = conditionOf(bare ?? (at === "END" ? "" : before))
    const print = printed(values)
    if ((all === undefined && bare === undefined) || condition === undefined || print === undefined) return undefined
    rules.push({ at, condition, print })
    rest = all === undefined ? "" : rest.slice(all.length)
  }
  return rules.length === 0 ? undefined : rules
}

/** Returns how a line is divided; undefined for a separator that is a pattern. */
const divider = (separator: string): ((text: string) => ReadonlyArray<string>) | undefined => {
  if (separator === " ")
    return (text) =>
      text
        .trim()
        .split(/\s+/)
        .filter((field) => field !== "")
  if (separator === "\\t") return (text) => text.split("\t")
  return separator.length === 1 && !/[\\^$.*+?()[\]{}]/.test(separator) ? (text) => text.split(separator) : undefined
}

/** `awk` with rules that print values: `$2`, `$NF`, `NR`, texts, for all lines or those with a pattern or comparison. */
export const awk: FilterProgram = (args) => {
  const options = filterOptions(args, "", "F")
  const [program, ...paths] = options?.words ?? []
  const rules = program === undefined ? undefined : rulesOf(program)
  const divide = divider(options?.values.get("F")?.[0] ?? " ")
  if (rules === undefined || divide === undefined) return undefined
  let number = 0
  let last: AwkRecord = { text: "", fields: [], number: 0 }
  const printing = (at: AwkRule["at"]): string | undefined => {
    let output = ""
    for (const { at: when, condition, print } of rules) {
      if (when !== at) continue
      const isFor = condition(last)
      if (isFor === undefined) return undefined
      if (isFor) output += `${print(last)}\n`
    }
    return output
  }
  return {
    paths,
    line: (line) => {
      const text = withoutEnd(line)
      last = { text, fields: text === "" ? [] : divide(text), number: ++number }
      return printing("line")
    },
    end: () => printing("END")
  }
}
