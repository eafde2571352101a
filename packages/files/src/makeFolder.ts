import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const statIfExists = (path: string) => statSync(path, { throwIfNoEntry: false })

/**
 * Makes a folder and its missing parents, each with this mode; a folder that exists stays unchanged. Throws the error
 * of the operating system. Node's own `recursive` never returns for a parent that takes no new entries, such as /proc.
 */
export const makeFolder = (folder: string, mode: number): void => {
  if (statIfExists(folder)?.isDirectory() === true) return
  const parent = dirname(folder)
  if (parent !== folder && statIfExists(parent) === undefined) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process made the folder first.
    if (statIfExists(folder)?.isDirectory() !== true) throw error
  }
}
