import { lstatSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"

/** What the folder of the compile cache follows from. */
export interface CacheOwner {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Empty: the user has none. */
  readonly homeFolder: string
  /** The user id that this process acts as; undefined on a system without user ids. */
  readonly userId: number | undefined
}

/** What decides whether others can put files into a folder. */
export interface FolderStatus {
  readonly isFolder: boolean
  readonly owner: number
  readonly mode: number
}

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000
const ROOT = 0

/**
 * The user's cache folder: XDG_CACHE_HOME, or `.cache` of the home folder. A relative XDG_CACHE_HOME is ignored, as the XDG Base
 * Directory Specification has it.
 */
export const cacheHome = ({ environment, homeFolder }: CacheOwner): string | undefined => {
  const named = environment.XDG_CACHE_HOME
  if (named !== undefined && isAbsolute(named)) return named
  return isAbsolute(homeFolder) ? join(homeFolder, ".cache") : undefined
}

/** Whether only this user decides what lies in a folder. */
export const isOwn = ({ isFolder, mode, owner }: FolderStatus, userId: number): boolean =>
  isFolder && owner === userId && (mode & WRITABLE_BY_OTHERS) === 0

/**
 * Whether no other user than root can put another folder in the place of what lies in this one: it belongs to the user or to root,
 * and others cannot write to it, or it is sticky, as the shared temporary folder is.
 */
export const isSafeAbove = ({ isFolder, mode, owner }: FolderStatus, userId: number): boolean =>
  isFolder && (owner === userId || owner === ROOT) && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0)

/** A symbolic link is no folder here. */
const statusOf = (folder: string): FolderStatus => {
  const status = lstatSync(folder)
  return { isFolder: status.isDirectory(), owner: status.uid, mode: status.mode }
}

const above = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...above(parent)]
}

/** One folder below an existing one. Not recursively: in a pseudo file system such as /proc that never ends. */
const make = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/** False: what lies there is not this user's alone. */
const makeOwn = (folder: string, userId: number): boolean => {
  make(folder)
  return isOwn(statusOf(folder), userId)
}

/**
 * The folder in which Node may keep compiled code, made with mode 0700. Code from there runs as this user: so undefined, unless the
 * folder and `rollcall` above it belong to this user alone, and nobody but root can replace a folder on the way there. Also
 * undefined where a folder cannot be made.
 */
export const compileCacheFolder = (owner: CacheOwner): string | undefined => {
  const { userId } = owner
  const named = cacheHome(owner)
  if (named === undefined || userId === undefined) return undefined
  try {
    make(named)
    const home = realpathSync(named)
    if (![home, ...above(home)].every((folder) => isSafeAbove(statusOf(folder), userId))) return undefined
    const own = join(home, "rollcall")
    const folder = join(own, "compile")
    return makeOwn(own, userId) && makeOwn(folder, userId) ? folder : undefined
  } catch {
    // A home that is missing or read-only: the program starts without a cache, a little later.
    return undefined
  }
}
