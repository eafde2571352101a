import { lstatSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

/** The inputs that decide the folder of the compile cache. */
export interface CacheOwner {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user's home folder; empty if there is none. */
  readonly homeFolder: string
  /** The effective user ID of this process; undefined on a system without user IDs. */
  readonly userId: number | undefined
}

/** The facts that decide whether other users can write to a folder. */
export interface FolderStatus {
  readonly isFolder: boolean
  readonly owner: number
  readonly mode: number
}

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000
const ROOT = 0

/**
 * Returns the user's cache folder: XDG_CACHE_HOME, or `.cache` in the home folder. A relative XDG_CACHE_HOME is
 * ignored, as the XDG Base Directory Specification requires.
 */
export const cacheHome = ({ environment, homeFolder }: CacheOwner): string | undefined => {
  const named = environment.XDG_CACHE_HOME
  if (named !== undefined && isAbsolute(named)) return named
  return isAbsolute(homeFolder) ? join(homeFolder, ".cache") : undefined
}

/** Whether only this user can write to a folder. */
export const isOwn = ({ isFolder, mode, owner }: FolderStatus, userId: number): boolean =>
  isFolder && owner === userId && (mode & WRITABLE_BY_OTHERS) === 0

/**
 * Whether only this user and root can replace entries of a folder: it belongs to the user or to root,
 * and others cannot write to it, or it is sticky, like the shared temporary folder.
 */
export const isSafeAncestor = ({ isFolder, mode, owner }: FolderStatus, userId: number): boolean =>
  isFolder && (owner === userId || owner === ROOT) && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0)

/** Returns the status of a folder; a symbolic link does not count as one. */
const statusOf = (folder: string): FolderStatus => {
  const status = lstatSync(folder)
  return { isFolder: status.isDirectory(), owner: status.uid, mode: status.mode }
}

const ancestorsOf = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...ancestorsOf(parent)]
}

/** Creates one folder in an existing one. Not recursive: in a pseudo file system such as /proc that never ends. */
const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/** Creates a folder that only this user can write to; returns false if the existing one is not such a folder. */
const makeOwnFolder = (folder: string, userId: number): boolean => {
  makeFolder(folder)
  return isOwn(statusOf(folder), userId)
}

/**
 * Returns the folder for Node's compile cache, created with mode 0700. Code from there runs as this user, so it is
 * undefined unless the folder and its parent `rollcall` belong to this user alone, and only root could replace a folder
 * on the path. Also undefined if a folder cannot be created.
 */
export const compileCacheFolder = (owner: CacheOwner): string | undefined => {
  const { userId } = owner
  const named = cacheHome(owner)
  if (named === undefined || userId === undefined) return undefined
  try {
    makeFolder(named)
    const home = realpathSync(named)
    if (![home, ...ancestorsOf(home)].every((folder) => isSafeAncestor(statusOf(folder), userId))) return undefined
    const ownFolder = join(home, "rollcall")
    const folder = join(ownFolder, "compile")
    return makeOwnFolder(ownFolder, userId) && makeOwnFolder(folder, userId) ? folder : undefined
  } catch {
    // The home folder is missing or read-only: the program starts without a cache, a little slower.
    return undefined
  }
}
