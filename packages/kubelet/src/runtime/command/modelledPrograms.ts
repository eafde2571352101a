import { filePrograms } from "./filePrograms.ts"
import { ls } from "./listFiles.ts"
import { machinePrograms } from "./machinePrograms.ts"
import { moveFiles } from "./moveFiles.ts"
import { ends, endsWithUnknownOutput, type Program } from "./ProgramContext.ts"
import { printf, unescaped } from "./printf.ts"
import { stat } from "./statFiles.ts"

const secondsOf: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }

const sleep: Program = (args) => {
  let afterMs = 0
  for (const arg of args) {
    if (arg === "infinity" || arg === "inf") return { status: 0, afterMs: Number.POSITIVE_INFINITY, output: "" }
    const [, count, unit = ""] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(arg) ?? []
    if (count === undefined) return undefined
    afterMs += Number(count) * (secondsOf[unit] ?? 1) * 1000
  }
  return args.length === 0 ? undefined : { status: 0, afterMs, output: "" }
}

const echo: Program = (args, context) => {
  const [first = ""] = args
  if (first === "-n") return ends(0, args.slice(1).join(" "))
  const isPlain = !first.startsWith("-") && !args.some((arg) => arg.includes("\\"))
  if (isPlain) return ends(0, `${args.join(" ")}\n`)
  if (context.world === undefined) return endsWithUnknownOutput
  const escapes = first === "-e"
  const text = args.slice(first.startsWith("-") && /^-[neE]+$/.test(first) ? 1 : 0).join(" ")
  return ends(0, `${escapes ? unescaped(text) : text}\n`)
}

const isInteger = (text: string): boolean => /^-?\d{1,15}$/.test(text)

const calculations: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => Math.trunc(left / right),
  "%": (left, right) => left % right
}

const expr: Program = ([left = "", operator = "", right = "", ...more]) => {
  const calculate = Object.hasOwn(calculations, operator) ? calculations[operator] : undefined
  if (calculate === undefined || !isInteger(left) || !isInteger(right) || more.length > 0) return undefined
  const result = calculate(Number(left), Number(right))
  if (!Number.isSafeInteger(result)) return undefined
  return ends(result === 0 ? 1 : 0, `${result === 0 ? 0 : result}\n`)
}

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "-eq": (left, right) => left === right,
  "-ne": (left, right) => left !== right,
  "-lt": (left, right) => left < right,
  "-le": (left, right) => left <= right,
  "-gt": (left, right) => left > right,
  "-ge": (left, right) => left >= right
}

const isTrue = ([first = "", second = "", third = "", ...more]: ReadonlyArray<string>): boolean | undefined => {
  if (more.length > 0) return undefined
  if (second === "=" || second === "==") return first === third
  if (second === "!=") return first !== third
  const compare = Object.hasOwn(comparisons, second) ? comparisons[second] : undefined
  return compare === undefined || !isInteger(first) || !isInteger(third)
    ? undefined
    : compare(Number(first), Number(third))
}

const test: Program = (args, context) => {
  const [first = "", second = ""] = args
  if (first === "!" && args.length > 1) {
    const end = test(args.slice(1), context)
    return end === undefined ? undefined : ends(1 - end.status)
  }
  if (args.length < 2) return ends(first === "" ? 1 : 0)
  if (args.length > 2) {
    const result = isTrue(args)
    return result === undefined ? undefined : ends(result ? 0 : 1)
  }
  if (first === "-n") return ends(second === "" ? 1 : 0)
  if (first === "-z") return ends(second === "" ? 0 : 1)
  if (!/^-[defrs]$/.test(first)) return undefined
  const files = context.needWorld()?.files
  if (files === undefined) return undefined
  const isFolder = files.folders.has(second)
  const text = files.read(second)
  const is =
    first === "-d"
      ? isFolder
      : first === "-s"
        ? (text ?? "") !== ""
        : text !== undefined || (isFolder && first !== "-f")
  return ends(is ? 0 : 1)
}

/** The last part of a path, without a suffix if it has that. */
const basename: Program = ([path, suffix = "", ...more]) => {
  if (path === undefined || path.startsWith("-") || more.length > 0) return undefined
  const name = path.replace(/\/+$/, "").split("/").at(-1) || "/"
  return ends(0, `${name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name}\n`)
}

const dirname: Program = ([path, ...more]) => {
  if (path === undefined || path.startsWith("-") || more.length > 0) return undefined
  const [, folder = path.startsWith("/") ? "/" : "."] = /^(.*[^/])\/+[^/]+\/*$/.exec(path) ?? []
  return ends(0, `${folder}\n`)
}

const bracket =
  (closing: string): Program =>
  (args, context) =>
    args.at(-1) === closing ? test(args.slice(0, -1), context) : undefined

const seq: Program = (args) => {
  if (args.length === 0 || args.length > 2 || !args.every(isInteger)) return undefined
  const [first, last] = args.length === 1 ? [1, Number(args[0])] : [Number(args[0]), Number(args[1])]
  if (last - first > 10_000) return undefined
  return ends(0, Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => `${first + at}\n`).join(""))
}

/** Programs whose end is known from their arguments and their container; undefined where it is not. */
export const modelledPrograms: Readonly<Record<string, Program>> = {
  true: () => ends(0),
  false: () => ends(1),
  ":": () => ends(0),
  basename,
  dirname,
  sleep,
  echo,
  printf,
  expr,
  test,
  seq,
  ls,
  stat,
  "[": bracket("]"),
  "[[": bracket("]]"),
  ...machinePrograms,
  ...filePrograms,
  ...moveFiles
}
