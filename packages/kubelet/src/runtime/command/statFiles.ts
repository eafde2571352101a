import { absolute } from "./absolutePath.ts"
import { ends, type Program } from "./ProgramContext.ts"
import type { FileStat, ShellFiles } from "./ShellWorld.ts"

/** The size of a folder, as file systems have it. */
const FOLDER_SIZE = 4096

interface StatedFile {
  readonly name: string
  readonly stat: FileStat
  readonly text: string
}

/** What a letter of a format stands for. */
const fields: Readonly<Record<string, (file: StatedFile) => string>> = {
  a: ({ stat }) => stat.mode.toString(8),
  F: ({ stat, text }) => (stat.isFolder ? "directory" : text === "" ? "regular empty file" : "regular file"),
  g: ({ stat }) => String(stat.group),
  n: ({ name }) => name,
  s: ({ stat, text }) => String(stat.isFolder ? FOLDER_SIZE : text.length),
  u: ({ stat }) => String(stat.user)
}

/** Returns the format, which may follow its flag at once, and the paths. */
const wordsOf = ([flag = "", ...rest]: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] | undefined => {
  if (flag === "-c" && rest[0] !== undefined) return [rest[0], rest.slice(1)]
  return flag.startsWith("-c") && flag.length > 2 ? [flag.slice(2), rest] : undefined
}

const lineOf = (format: string, name: string, files: ShellFiles): string | undefined => {
  const path = absolute(name)
  const stat = files.stat(path)
  if (stat === undefined) return undefined
  const file: StatedFile = { name, stat, text: files.read(path) ?? "" }
  return `${format.replace(/%(.)/g, (all, letter: string) => (letter === "%" ? "%" : (fields[letter]?.(file) ?? all)))}\n`
}

/** `stat -c FORMAT PATH…`, with `%a`, `%F`, `%g`, `%n`, `%s` and `%u`. */
export const stat: Program = (args, context) => {
  const [format, paths = []] = wordsOf(args) ?? []
  if (format === undefined || paths.length === 0 || paths.some((path) => path.startsWith("-"))) return undefined
  if ([...format.matchAll(/%(.?)/g)].some(([, letter = ""]) => letter !== "%" && !Object.hasOwn(fields, letter))) {
    return undefined
  }
  const files = context.needWorld()?.files
  if (files === undefined) return undefined
  const lines = paths.map((path) => [path, lineOf(format, path, files)] as const)
  const missing = lines.filter(([, line]) => line === undefined)
  const errors = missing.map(([path]) => `stat: can't stat '${path}': No such file or directory\n`).join("")
  return ends(missing.length === 0 ? 0 : 1, lines.map(([, line = ""]) => line).join(""), errors)
}
