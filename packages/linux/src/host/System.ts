import { readdirSync, readFileSync, statfsSync } from "node:fs"
import { arch, type NetworkInterfaceInfo, networkInterfaces } from "node:os"
import { dirname, join } from "node:path"

/** One filesystem, as statfs tells of it. Sizes in bytes. */
export interface FileSystem {
  /** The kernel's magic number of its kind. */
  readonly type: number
  readonly capacity: number
  /** What is left for processes without privileges. */
  readonly available: number
  readonly inodes: number
  readonly inodesFree: number
}

export type Interfaces = Readonly<Record<string, ReadonlyArray<Pick<NetworkInterfaceInfo, "address" | "family">>>>

/**
 * What is read of a machine: its files below a folder (`/`, or a tree that a test wrote), and what files do not tell. Nothing here
 * fails: what cannot be read is absent.
 */
export interface System {
  /** A file's text, without white space around it. */
  readonly read: (path: string) => string | undefined
  /** Names in a folder, in the order of the filesystem; none when there is no such folder. */
  readonly list: (path: string) => ReadonlyArray<string>
  readonly fileSystem: (path: string) => FileSystem | undefined
  /** The interfaces that are up, and their addresses. */
  readonly interfaces: () => Interfaces
  /** In Node's words: x64, arm64. */
  readonly architecture: string
}

export interface SystemOptions extends Partial<Omit<System, "read" | "list">> {
  /** The folder in which `proc`, `sys`, `etc` and `var` lie; absent: `/`. */
  readonly root?: string
}

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const statOf = (path: string): FileSystem | undefined =>
  attempt(() => {
    const { bavail, blocks, bsize, ffree, files, type } = statfsSync(path)
    return { type, capacity: blocks * bsize, available: bavail * bsize, inodes: files, inodesFree: ffree }
  })

/** This machine, or as much of another as its files below `root` and the options tell. */
export const makeSystem = (options: SystemOptions = {}): System => {
  const root = options.root ?? "/"
  return {
    read: (path) => attempt(() => readFileSync(join(root, path), "utf8").trim()),
    list: (path) => attempt(() => readdirSync(join(root, path))) ?? [],
    fileSystem: options.fileSystem ?? ((path) => statOf(join(root, path))),
    interfaces: options.interfaces ?? (() => networkInterfaces() as Interfaces),
    architecture: options.architecture ?? arch()
  }
}

/** The filesystem of a folder that may not be there yet: that of its nearest parent. */
export const fileSystemOf = (system: System, path: string): FileSystem | undefined => {
  const found = system.fileSystem(path)
  return found !== undefined || path === dirname(path) ? found : fileSystemOf(system, dirname(path))
}
