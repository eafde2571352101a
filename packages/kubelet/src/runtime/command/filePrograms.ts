import { ends, type Program } from "./ProgramContext.ts"
import type { ProgramEnd } from "./ProgramEnd.ts"
import type { ShellFiles } from "./ShellWorld.ts"

const MISSING = "No such file or directory"
const absolute = (path: string): string => {
  const clean = `/${path}`.replace(/\/+(?:\.\/+)*/g, "/").replace(/\/\.?$/, "")
  return clean === "" ? "/" : clean
}

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
  const { world } = context
  if (world === undefined) return undefined
  return readAll("cat", args, world.files)
}

/** Returns the names in a folder. */
const namesIn = (folder: string, files: ShellFiles): ReadonlyArray<string> => {
  const prefix = folder === "/" ? "/" : `${folder}/`
  const names = new Set<string>()
  for (const path of [...files.folders, ...files.paths()]) {
    const [name = ""] = path.startsWith(prefix) ? path.slice(prefix.length).split("/") : []
    if (name !== "") names.add(name)
  }
  return [...names].toSorted()
}

const ls: Program = (args, { world }) => {
  const { files } = world ?? {}
  const paths = args.filter((arg) => !/^-[1aA]+$/.test(arg))
  if (files === undefined || paths.some((path) => path.startsWith("-"))) return undefined
  const asked = paths.length === 0 ? ["/"] : paths
  let output = ""
  let errors = ""
  for (const path of asked) {
    const at = absolute(path)
    if (files.read(at) !== undefined) output += `${path}\n`
    else if (!files.folders.has(at)) errors += `ls: ${path}: ${MISSING}\n`
    else {
      if (asked.length > 1) output += `${path}:\n`
      output += namesIn(at, files)
        .map((name) => `${name}\n`)
        .join("")
    }
  }
  return ends(errors === "" ? 0 : 1, output, errors)
}

/** `tail -f` of a file: it does not end, and files do not grow by themselves. */
const tail: Program = ([flag, path, ...more], context) => {
  if (flag !== "-f" || path === undefined || more.length > 0) return undefined
  const never = { status: 0, afterMs: Number.POSITIVE_INFINITY, output: "" }
  if (path === "/dev/null") return never
  const { world } = context
  return world === undefined || world.files.read(absolute(path)) === undefined ? undefined : never
}

/** Programs that read the files of a container. */
export const filePrograms: Readonly<Record<string, Program>> = { cat, ls, tail }
