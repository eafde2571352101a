import { fnv1a } from "@rollcall/time"
import { absolute } from "./absolutePath.ts"
import { ends, type Program } from "./ProgramContext.ts"
import type { FileStat, ShellFiles } from "./ShellWorld.ts"

const MISSING = "No such file or directory"
/** The size of a folder, as file systems have it. */
const FOLDER_SIZE = 4096

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

const bits = ["---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"]

/** Returns a mode as `ls` shows it, with the bits of setgid and sticky. */
const modeText = (type: string, mode: number): string => {
  const [user, group, other] = [mode >> 6, mode >> 3, mode].map((three) => bits[three & 7] ?? "")
  const withBit = (text = "", isSet: boolean, letter: string): string =>
    isSet ? text.slice(0, 2) + (text.endsWith("x") ? letter : letter.toUpperCase()) : text
  return `${type}${user}${withBit(group, (mode & 0o2000) !== 0, "s")}${withBit(other, (mode & 0o1000) !== 0, "t")}`
}

const nameOf = (id: number): string => (id === 0 ? "root" : String(id)).padEnd(8)

/** Returns a size with a unit, as BusyBox does. */
const humanSize = (size: number): string => {
  if (size < 1024) return String(size)
  return size < 1024 ** 2 ? `${(size / 1024).toFixed(1)}K` : `${(size / 1024 ** 2).toFixed(1)}M`
}

/** Returns the line of `ls -l` up to the name. Times are not kept. */
const longLine = (path: string, stat: FileStat, files: ShellFiles, isHuman: boolean): string => {
  const link = files.linkAt(path)
  const size = stat.isFolder ? FOLDER_SIZE : (link ?? files.read(path) ?? "").length
  const type = link === undefined ? (stat.isFolder ? "d" : "-") : "l"
  const mode = modeText(type, link === undefined ? stat.mode : 0o777)
  const shown = (isHuman ? humanSize(size) : String(size)).padStart(9)
  return `${mode} ${String(stat.isFolder ? 2 : 1).padStart(4)} ${nameOf(stat.user)} ${nameOf(stat.group)} ${shown} `
}

/** Returns the line of a path under a name, as the flags ask. */
const lineOf = (path: string, name: string, flags: ReadonlySet<string>, files: ShellFiles): string => {
  const link = files.linkAt(path)
  const stat = files.stat(path) ?? { isFolder: false, mode: 0o777, user: 0, group: 0, fileSystem: "overlay" as const }
  // A file has the same number each time.
  const inode = flags.has("i") ? `${String(fnv1a(path) % 1_000_000).padStart(7)} ` : ""
  if (!flags.has("l")) return `${inode}${name}\n`
  const target = link === undefined ? "" : ` -> ${link}`
  return `${inode}${longLine(path, stat, files, flags.has("h"))}${name}${target}\n`
}

/** `ls`, with `-l`, `-i`, `-h` and `-d`. */
export const ls: Program = (args, { needWorld }) => {
  const { files } = needWorld() ?? {}
  const options = args.filter((arg) => /^-[1aAdhil]+$/.test(arg))
  const paths = args.filter((arg) => !options.includes(arg))
  if (files === undefined || paths.some((path) => path.startsWith("-"))) return undefined
  const flags = new Set(options.join("").replaceAll("-", ""))
  const asked = paths.length === 0 ? ["/"] : paths
  let output = ""
  let errors = ""
  for (const path of asked) {
    const at = absolute(path).replace(/(?<=.)\/+$/, "")
    const isFolder = files.folders.has(at)
    if (isFolder && !flags.has("d")) {
      if (asked.length > 1) output += `${path}:\n`
      for (const name of namesIn(at, files))
        output += lineOf(at === "/" ? `/${name}` : `${at}/${name}`, name, flags, files)
    } else if (isFolder || files.read(at) !== undefined || files.linkAt(at) !== undefined)
      output += lineOf(at, path, flags, files)
    else errors += `ls: ${path}: ${MISSING}\n`
  }
  return ends(errors === "" ? 0 : 1, output, errors)
}
