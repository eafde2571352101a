import { readdirSync, readFileSync, statfsSync } from "node:fs"
import { arch, type NetworkInterfaceInfo, networkInterfaces } from "node:os"
import { dirname, join } from "node:path"

/** One filesystem, as statfs reports it. Sizes in bytes. */
export interface FileSystem {
  /** The kernel's magic number of the filesystem type. */
  readonly type: number
  readonly capacity: number
  /** Bytes available to processes without privileges. */
  readonly available: number
  readonly inodes: number
  readonly inodesFree: number
}

export type Interfaces = Readonly<Record<string, ReadonlyArray<Pick<NetworkInterfaceInfo, "address" | "family">>>>

/**
 * The source of all readings: the machine's files below a folder (`/`, or a test's fixture tree), and what files do
 * not contain. Nothing here fails: what cannot be read is absent.
 */
export interface System {
  /** Returns a file's text, trimmed; undefined if it cannot be read. */
  readonly read: (path: string) => string | undefined
  /** Returns the names in a folder, in the order of the filesystem; none if there is no such folder. */
  readonly list: (path: string) => ReadonlyArray<string>
  readonly fileSystem: (path: string) => FileSystem | undefined
  /** Returns the interfaces that are up, with their addresses. */
  readonly interfaces: () => Interfaces
  /** The architecture in Node's terms: x64, arm64. */
  readonly architecture: string
}

export interface SystemOptions extends Partial<Omit<System, "read" | "list">> {
  /** The folder that contains `proc`, `sys`, `etc` and `var`; the default is `/`. */
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

/** Makes a System of this machine, or of the files below `root`, with the readings that the options override. */
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

/** The filesystem of a folder that may not exist yet: that of its nearest existing parent. */
export const fileSystemOf = (system: System, path: string): FileSystem | undefined => {
  const found = system.fileSystem(path)
  return found !== undefined || path === dirname(path) ? found : fileSystemOf(system, dirname(path))
}
