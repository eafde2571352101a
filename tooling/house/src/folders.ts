import { dirname, join, normalize } from "node:path"
import type { Member } from "./floors.ts"

/** An import of one file by another. */
interface Arrow {
  readonly from: string
  readonly to: string
}

/** Returns the imports between files of the member's `src`, as paths below it. */
const arrowsOf = ({ folder, imports }: Member): ReadonlyArray<Arrow> => {
  const source = `${join(folder, "src")}/`
  return imports
    .filter(({ file, specifier }) => specifier.startsWith(".") && file.startsWith(source))
    .map(({ file, specifier }) => ({
      from: file.slice(source.length),
      to: normalize(join(dirname(file), specifier)).slice(source.length)
    }))
}

/** Returns the first part of a path: a folder or a file. */
const headOf = (path: string): string => path.split("/", 1)[0] ?? ""

/** Returns one line for each import that the folder order does not allow. */
const undeclaredImports = (
  member: Member,
  allowed: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<string> =>
  arrowsOf(member).flatMap(({ from, to }) => {
    const [user, used] = [headOf(from), headOf(to)]
    if (allowed[user] === undefined) return [`${member.folder}/src/${user}: not among rollcall.folders`]
    return user === used || allowed[user].includes(used)
      ? []
      : [`${member.folder}/src/${from}: ${user}/ may not use ${used}/ (${to})`]
  })

/** Returns the graph of imports between the children of one folder. */
const graphOf = (arrows: ReadonlyArray<Arrow>): ReadonlyMap<string, ReadonlySet<string>> => {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of arrows) {
    const [user, used] = [headOf(from), headOf(to)]
    if (user === used) continue
    const known = graph.get(user)
    if (known === undefined) graph.set(user, new Set([used]))
    else known.add(used)
  }
  return graph
}

/** Returns the shortest cycle through a child, or undefined if there is none. */
const cycleOf = (start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> | undefined => {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (cameFrom.has(next)) continue
      cameFrom.set(next, node)
      if (next !== start) {
        queue.push(next)
        continue
      }
      const path = [start]
      for (let at = node; at !== start; at = cameFrom.get(at) ?? start) path.unshift(at)
      return [start, ...path]
    }
  }
  return undefined
}

/** Returns the import cycles between the children of `at`, and of every folder below it. */
const cyclesIn = (at: string, arrows: ReadonlyArray<Arrow>): ReadonlyArray<string> => {
  const folders = new Set(
    arrows.flatMap(({ from, to }) => [from, to].filter((path) => path.includes("/")).map((path) => headOf(path)))
  )
  const graph = graphOf(arrows)
  const own = [...folders].sort().flatMap((folder) => {
    const cycle = cycleOf(folder, graph)
    // Reported once, for the folder that sorts first.
    if (cycle?.some((node) => folders.has(node) && node < folder) !== false) return []
    return [`${at}: a cycle of ${cycle.join(" → ")}`]
  })
  const below = [...folders].sort().flatMap((folder) => {
    const inside = arrows
      .filter(({ from, to }) => headOf(from) === folder && headOf(to) === folder)
      .map(({ from, to }) => ({ from: from.slice(folder.length + 1), to: to.slice(folder.length + 1) }))
    return cyclesIn(`${at}/${folder}`, inside)
  })
  return [...own, ...below]
}

/** Returns the cycles of files that import each other, including types, one line each: none of them can be read first. */
export const fileCycles = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.flatMap((member) => {
    const graph = new Map<string, Set<string>>()
    for (const { from, to } of arrowsOf(member)) graph.set(from, (graph.get(from) ?? new Set()).add(to))
    return [...graph.keys()].sort().flatMap((file) => {
      const cycle = cycleOf(file, graph)
      // Reported once, for the file that sorts first.
      if (cycle?.some((other) => other < file) !== false) return []
      return [`${join(member.folder, "src")}: a cycle of ${cycle.join(" → ")}`]
    })
  })

/**
 * Returns the violations of the folder order that a member declares (`rollcall.folders`: the folders that each folder of `src` may use):
 * undeclared imports, and cycles of folders at any depth. One line each; empty if there are none.
 */
export const folderViolations = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.flatMap((member) =>
    member.folders === undefined
      ? []
      : [
          ...new Set(undeclaredImports(member, member.folders)),
          ...cyclesIn(join(member.folder, "src"), arrowsOf(member))
        ]
  )
