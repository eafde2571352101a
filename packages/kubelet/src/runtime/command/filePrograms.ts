import { dottedSysctl, sysctlPath } from "../../admission/Sysctl.ts"
import { absolute } from "./absolutePath.ts"
import { ends, type Program } from "./ProgramContext.ts"
import type { ProgramEnd } from "./ProgramEnd.ts"
import { newFileOf, type ShellFiles, type ShellWorld } from "./ShellWorld.ts"

const MISSING = "No such file or directory"
/** Reads files one after another; undefined without a world. */
const readAll = (name: string, paths: ReadonlyArray<string>, files: ShellFiles): ProgramEnd => {
  let output = ""
  let errors = ""
  for (const path of paths) {
    const text = files.read(absolute(path))
    if (text !== undefined) output += text
    else if (files.folders.has(absolute(path))) errors += `${name}: read error: Is a directory\n`
    else errors += `${name}: can't open '${path}': ${MISSING}\n`
  }
  return ends(errors === "" ? 0 : 1, output, errors)
}

const cat: Program = (args, context) => {
  if (args.length === 0 || args.some((arg) => arg.startsWith("-"))) return undefined
  const world = context.needWorld()
  if (world === undefined) return undefined
  return readAll("cat", args, world.files)
}

/** `tail -f` of a file: it does not end, and files do not grow by themselves. */
const tail: Program = ([flag, path, ...more], context) => {
  if (flag !== "-f" || path === undefined || more.length > 0) return undefined
  const never = { status: 0, afterMs: Number.POSITIVE_INFINITY, output: "" }
  if (path === "/dev/null") return never
  const world = context.needWorld()
  return world === undefined || world.files.read(absolute(path)) === undefined ? undefined : never
}

/** Runs a program for each of its paths; `act` returns what is wrong. */
const onEach =
  (name: string, act: (path: string, world: ShellWorld) => string | undefined): Program =>
  (args, context) => {
    const paths = args.filter((arg) => !/^-[rRf]+$/.test(arg))
    const isForced = args.some((arg) => /^-[rR]*f/.test(arg))
    if (paths.length === 0 || paths.some((path) => path.startsWith("-") || /[*?[]/.test(path))) return undefined
    const world = context.needWorld()
    if (world === undefined) return undefined
    const problems = paths.map((path) => [path, act(absolute(path), world)] as const)
    const errors = problems.filter(([, problem]) => problem !== undefined && !(isForced && problem === MISSING))
    return ends(
      errors.length > 0 ? 1 : 0,
      "",
      errors.map(([path, problem]) => `${name}: ${path}: ${problem}\n`).join("")
    )
  }

const touch = onEach("touch", (path, world) => world.files.write(path, "", true, newFileOf(world)))
const rm = onEach("rm", (path, { files }) => {
  if (files.read(path) !== undefined || files.linkAt(path) !== undefined) return files.remove(path)
  if (!files.folders.has(path)) return MISSING
  const within = [...files.paths()].filter((file) => file.startsWith(`${path}/`))
  return within.map((file) => files.remove(file)).find((problem) => problem !== undefined)
})

/** Whether a name is as a pattern with `*` and `?` says. Only the last `*` is tried again, so long patterns cost no more. */
const isLike = (name: string, pattern: string): boolean => {
  let at = 0
  let of = 0
  let star = -1
  let from = 0
  while (at < name.length) {
    if (pattern[of] === "*") {
      star = of++
      from = at
    } else if (of < pattern.length && (pattern[of] === "?" || pattern[of] === name[at])) {
      of++
      at++
    } else if (star >= 0) {
      of = star + 1
      at = ++from
    } else return false
  }
  return /^\**$/.test(pattern.slice(of))
}

/** Removes the files among what was found; folders are there only for what is in them. */
const deleteAll = (found: ReadonlyArray<string>, files: ShellFiles): ProgramEnd => {
  const errors = found
    .filter((path) => files.read(path) !== undefined)
    .map((path) => [path, files.remove(path)] as const)
    .filter(([, problem]) => problem !== undefined)
  return ends(
    errors.length > 0 ? 1 : 0,
    "",
    errors.map(([path, problem]) => `find: cannot delete '${path}': ${problem}\n`).join("")
  )
}

/** `find FOLDER`, with `-mindepth 1`, and `-type f` or `-type d` or `-name PATTERN`, or several joined by `-o`, and `-delete`. */
const find: Program = ([folder = ".", ...args], context) => {
  const patterns: Array<string> = []
  const deletes = args.at(-1) === "-delete"
  const isBelow = args[0] === "-mindepth" && args[1] === "1"
  const given = args.slice(isBelow ? 2 : 0, deletes ? -1 : undefined)
  const type = given[0] === "-type" ? given[1] : undefined
  if (type !== undefined && type !== "f" && type !== "d") return undefined
  const tests = given.slice(type === undefined ? 0 : 2)
  for (let at = 0; at < tests.length; at += 3) {
    const [flag, pattern, or = "-o"] = tests.slice(at, at + 3)
    if (flag !== "-name" || pattern === undefined || or !== "-o") return undefined
    patterns.push(pattern)
  }
  const world = context.needWorld()
  if (world === undefined) return undefined
  const { files } = world
  const root = absolute(folder)
  if (files.stat(root) === undefined) return ends(1, "", `find: ${folder}: ${MISSING}\n`)
  const all = [...new Set([...files.folders, ...files.paths()])].toSorted()
  const found = all.filter((path) => {
    const isIn = (path === root && !isBelow) || path.startsWith(root === "/" ? "/" : `${root}/`)
    const name = path.slice(path.lastIndexOf("/") + 1)
    const isOfType = type === undefined || (files.stat(path)?.isFolder === true) === (type === "d")
    return isIn && isOfType && (patterns.length === 0 || patterns.some((pattern) => isLike(name, pattern)))
  })
  return deletes ? deleteAll(found, files) : ends(0, found.map((path) => `${path}\n`).join(""))
}

/** `sysctl NAME`, of what the pod sets. */
const sysctl: Program = ([name = "", ...more], context) => {
  if (!/^[\w./-]+$/.test(name) || name.startsWith("-") || more.length > 0) return undefined
  const text = context.needWorld()?.files.read(sysctlPath(name))
  return text === undefined ? undefined : ends(0, `${dottedSysctl(name)} = ${text}`)
}

/** Programs that work with the files of a container. */
export const filePrograms: Readonly<Record<string, Program>> = { cat, find, rm, sysctl, tail, touch }
