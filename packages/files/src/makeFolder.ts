import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const look = (path: string) => statSync(path, { throwIfNoEntry: false })

/**
 * Makes a folder and those above it that are missing, each with this mode; one that is there stays as it is. Throws what the system says.
 * Node's own `recursive` never returns where a folder has no room for new names, such as /proc.
 */
export const makeFolder = (folder: string, mode: number): void => {
  if (look(folder)?.isDirectory() === true) return
  const parent = dirname(folder)
  if (parent !== folder && look(parent) === undefined) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process has been faster.
    if (look(folder)?.isDirectory() !== true) throw error
  }
}
