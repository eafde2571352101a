import { dirname, join, normalize } from "node:path"
import type { Workspace } from "./Workspace.ts"

/** `packages/api` of `packages/api/src/index.ts`. */
export const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/")

/** Files that a scenario is made of, such as its manifests and snapshots. */
const yamlPaths = (workspace: Workspace, path: string): ReadonlyArray<string> =>
  workspace.files.has(path) && /\.ya?ml$/.test(path)
    ? workspace
        .read(path)
        .split(/[\s,"'[\]{}]+/)
        .filter((word) => /^[\w.-]+(?:\/[\w.-]+)*\.\w+$/.test(word))
        .map((word) => normalize(join(dirname(path), word)))
        .filter((named) => workspace.files.has(named))
    : []

/**
 * Finds the files and folders that a source reads by path, among the strings in it that could be one.
 * A path is a string that names a file or folder of the workspace, from the source's own folder, from its
 * package or from the root, and what a YAML file among these names from its folder.
 */
export const makeNamedPaths = (workspace: Workspace) => {
  const exists = (path: string): boolean => workspace.files.has(path) || workspace.folders.has(path)

  /** What is at the root: its pages, and, for a source that lists what git knows, all folders. */
  const rootPaths = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...[...workspace.files].filter((file) => /^[^/]+\.md$/.test(file)),
    ...(paths.includes("ls-files") ? [...workspace.folders].filter((folder) => !folder.includes("/")) : [])
  ]

  return (file: string, paths: ReadonlyArray<string>): ReadonlySet<string> => {
    const isProgram = /^(?:packages|apps)\/[^/]+\/src\//.test(file)
    const leadsToRoot = (text: string) => normalize(join(dirname(file), text, ".")) === "."
    const knowsRoot = file.startsWith("tooling/") || (!isProgram && paths.some(leadsToRoot))
    const named = paths.flatMap((text) => {
      const isWord = /^\/?[\w-]+$/.test(text)
      // A word alone is a folder in tooling, and in a test that knows where the root is; elsewhere it is a word, and dots are dots.
      if (text === "." || (isProgram && (isWord || /^[./]+$/.test(text)))) return []
      const places = isWord ? [dirname(file), ...(knowsRoot ? ["."] : [])] : [dirname(file), packageOf(file), "."]
      // The root itself stands for what is joined to it; it is no folder here.
      return places.map((place) => normalize(join(place, text.replace(/^\/|\/$/g, "")))).filter(exists)
    })
    const found = new Set([...(knowsRoot ? rootPaths(paths) : []), ...named])
    for (const path of found) for (const other of yamlPaths(workspace, path)) found.add(other)
    return found
  }
}
