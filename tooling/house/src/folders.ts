import { dirname, join, normalize } from "node:path"
import type { Member } from "./floors.ts"

interface Arrow {
  readonly from: string
  readonly to: string
}

/** Imports between files of the member's `src`, as paths below it. */
const arrowsOf = ({ folder, imports }: Member): ReadonlyArray<Arrow> => {
  const source = `${join(folder, "src")}/`
  return imports
    .filter(({ file, specifier }) => specifier.startsWith(".") && file.startsWith(source))
    .map(({ file, specifier }) => ({
      from: file.slice(source.length),
      to: normalize(join(dirname(file), specifier)).slice(source.length)
    }))
}

/** The first part of a path: a folder, or a file. */
const headOf = (path: string): string => path.split("/", 1)[0] ?? ""

const notAllowed = (member: Member, allowed: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<string> =>
  arrowsOf(member).flatMap(({ from, to }) => {
    const [user, used] = [headOf(from), headOf(to)]
    if (allowed[user] === undefined) return [`${member.folder}/src/${user}: not among rollcall.folders`]
    return user === used || allowed[user].includes(used)
      ? []
      : [`${member.folder}/src/${from}: ${user}/ may not use ${used}/ (${to})`]
  })

/** Who uses whom among the children of one folder, by what the arrows within it say. */
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

/** The shortest way from a child back to itself. */
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
      const way = [start]
      for (let at = node; at !== start; at = cameFrom.get(at) ?? start) way.unshift(at)
      return [start, ...way]
    }
  }
  return undefined
}

/** Cycles through a folder, among the children of `at` and of all that is below it. */
const cyclesIn = (at: string, arrows: ReadonlyArray<Arrow>): ReadonlyArray<string> => {
  const folders = new Set(
    arrows.flatMap(({ from, to }) => [from, to].filter((path) => path.includes("/")).map((path) => headOf(path)))
  )
  const graph = graphOf(arrows)
  const own = [...folders].sort().flatMap((folder) => {
    const cycle = cycleOf(folder, graph)
    // Told once, by the folder whose name comes first.
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

/** Files that import each other in a loop, types included: none of them can be read first. One line each. */
export const fileCycles = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.flatMap((member) => {
    const graph = new Map<string, Set<string>>()
    for (const { from, to } of arrowsOf(member)) graph.set(from, (graph.get(from) ?? new Set()).add(to))
    return [...graph.keys()].sort().flatMap((file) => {
      const cycle = cycleOf(file, graph)
      // Told once, by the file whose name comes first.
      if (cycle?.some((other) => other < file) !== false) return []
      return [`${join(member.folder, "src")}: a cycle of ${cycle.join(" → ")}`]
    })
  })

/**
 * What breaks the order within a member that declares one (`rollcall.folders`: for each folder of its `src` those that it may use):
 * an import that is not declared, and folders that form a cycle, at any depth. One line each; empty when the order holds.
 */
export const folderViolations = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.flatMap((member) =>
    member.folders === undefined
      ? []
      : [...new Set(notAllowed(member, member.folders)), ...cyclesIn(join(member.folder, "src"), arrowsOf(member))]
  )
