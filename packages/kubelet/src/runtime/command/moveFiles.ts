import { absolute } from "./absolutePath.ts"
import { ends, type Program } from "./ProgramContext.ts"
import { newFileOf, type ShellWorld } from "./ShellWorld.ts"

const MISSING = "No such file or directory"

/** What differs between the programs that copy a file, in the words of BusyBox. */
interface Copying {
  readonly name: "cp" | "mv"
  readonly missing: (path: string) => string
  readonly isRemoved: boolean
}

const copying: Readonly<Record<Copying["name"], Copying>> = {
  cp: { name: "cp", missing: (path) => `can't stat '${path}': ${MISSING}`, isRemoved: false },
  mv: { name: "mv", missing: (path) => `can't rename '${path}': ${MISSING}`, isRemoved: true }
}

/** Copies one file; returns what is wrong if it cannot. */
const copy = (
  { isRemoved, missing }: Copying,
  { files, ...world }: ShellWorld,
  from: string,
  to: string
): string | undefined => {
  const text = files.read(absolute(from))
  if (text === undefined) return missing(from)
  if (absolute(from) === absolute(to)) return `'${from}' and '${to}' are the same file`
  const mode = files.stat(absolute(from))?.mode
  const problem = files.write(absolute(to), text, false, newFileOf({ ...world, files }, mode))
  if (problem !== undefined) return `can't create '${to}': ${problem}`
  const kept = isRemoved ? files.remove(absolute(from)) : undefined
  return kept === undefined ? undefined : `can't remove '${from}': ${kept}`
}

/** Copies or moves files to a path, or into a folder. Whole folders are not modelled. */
const copies =
  (name: Copying["name"]): Program =>
  (args, context) => {
    const paths = args.filter((arg) => !/^-[fv]+$/.test(arg))
    const isVerbose = args.some((arg) => /^-f*v/.test(arg))
    const to = paths.at(-1)
    const sources = paths.slice(0, -1)
    if (to === undefined || sources.length === 0 || paths.some((path) => /^-|[*?[]/.test(path))) return undefined
    const world = context.needWorld()
    if (world === undefined || sources.some((path) => world.files.folders.has(absolute(path)))) return undefined
    const folder = world.files.folders.has(absolute(to).replace(/(?<=.)\/+$/, ""))
    if (sources.length > 1 && !folder) return ends(1, "", `${name}: target '${to}' is not a directory\n`)
    let output = ""
    let errors = ""
    for (const from of sources) {
      const target = folder ? `${to.replace(/\/+$/, "")}/${from.slice(from.lastIndexOf("/") + 1)}` : to
      const problem = copy(copying[name], world, from, target)
      if (problem !== undefined) errors += `${name}: ${problem}\n`
      else if (isVerbose) output += `'${from}' -> '${target}'\n`
    }
    return ends(errors === "" ? 0 : 1, output, errors)
  }

/** `ln -s TARGET PATH`, also into a folder; `-f` replaces a file. */
const ln: Program = (args, context) => {
  const paths = args.filter((arg) => !/^-[sf]+$/.test(arg))
  const flags = args.filter((arg) => !paths.includes(arg)).join("")
  const [target, path, ...more] = paths
  if (!flags.includes("s") || target === undefined || path === undefined || more.length > 0) return undefined
  const world = context.needWorld()
  if (world === undefined || paths.some((each) => each.startsWith("-"))) return undefined
  const { files } = world
  const to = absolute(path).replace(/(?<=.)\/+$/, "")
  const at = files.folders.has(to) ? `${to}/${target.slice(target.lastIndexOf("/") + 1)}` : to
  if (flags.includes("f")) files.remove(at)
  const problem = files.link(at, target, newFileOf(world, 0o777))
  return problem === undefined ? ends(0) : ends(1, "", `ln: ${at}: ${problem}\n`)
}

const readlink: Program = ([path, ...more], context) => {
  if (path === undefined || path.startsWith("-") || more.length > 0) return undefined
  const world = context.needWorld()
  if (world === undefined) return undefined
  const target = world.files.linkAt(absolute(path))
  return target === undefined ? ends(1) : ends(0, `${target}\n`)
}

/** Programs that make files out of others. */
export const moveFiles: Readonly<Record<string, Program>> = { cp: copies("cp"), ln, mv: copies("mv"), readlink }
