import type { FileStat, FileSystem, NewFile, ShellFiles } from "./ShellWorld.ts"

/** What commands may write into the files of one container, or of the volumes of one pod. */
const MAX_WRITTEN = 64 * 1024
const MAX_FILES = 100

/** Returns the folders that a path is in, and the path itself. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").filter((part) => part !== "")
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)]
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** A file that a command has written, or a file of the image that a command has removed. */
export interface WrittenFile extends NewFile {
  readonly text: string
  /** What a symbolic link names. */
  readonly link?: string
  readonly isRemoved?: true
}

export type WrittenFiles = Map<string, WrittenFile>

/**
 * What commands have written: in a container, in the volumes that the containers of its pod share, on its machine, and in
 * the volume of a claim, by its `namespace/name`, as far as claims have volumes here.
 */
export interface Written {
  readonly own: WrittenFiles
  readonly shared: WrittenFiles
  readonly machine: WrittenFiles
  readonly ofClaim: (claim: string) => WrittenFiles | undefined
}

/** Who owns a file, and who may do what with it. */
export interface Ownership {
  readonly mode: number
  readonly user?: number
  readonly group?: number
}

interface KnownFile extends Ownership {
  readonly text: string
  readonly link?: string
  readonly isOfImage?: true
  readonly isRemoved?: true
}

/** Where a volume is in a container. */
export interface Mount extends Ownership {
  readonly path: string
  readonly fileSystem: FileSystem
  readonly isReadOnly: boolean
  /** Where the files of a volume are kept that outlive the container. */
  readonly kept?: { readonly files: WrittenFiles; readonly folder: string }
  /** Whether the files that the kubelet makes in it are not known. */
  readonly isUnknown?: boolean
}

/** How many links are followed, one to the next. Upstream: Linux, MAXSYMLINKS. */
const MAX_LINKS = 40
/** Images have no files of their own here. */
const EMPTY_FOLDER = "/tmp/"

const byRoot = { user: 0, group: 0 }
const rootFolder: FileStat = { ...byRoot, isFolder: true, mode: 0o755, fileSystem: "overlay" }

/** The files of a modelled container: those of its volumes, and what its commands have written. */
export class ContainerFiles implements ShellFiles {
  readonly folders = new Set<string>()
  private readonly files = new Map<string, KnownFile>()
  private readonly mounts: Array<Mount> = []
  /** Whether nothing but volumes can be written. */
  private readonly isReadOnly: boolean
  /** What commands have written, which outlives each of them. */
  private readonly written: WrittenFiles

  constructor(written: WrittenFiles, isReadOnly = false) {
    this.isReadOnly = isReadOnly
    this.written = written
    for (const path of written.keys()) this.addFolder(parentOf(path))
    for (const path of ["/etc", "/tmp", "/proc", "/dev"]) this.addFolder(path)
  }

  /** How often a command has written or removed a file. */
  changes = 0
  /** Whether a command has looked for a file that the image may have. */
  hasMissed = false
  /** Whether it is known which files the image has, in folders that images leave empty. */
  isImageKnown = false

  addFolder(path: string): void {
    for (const folder of foldersOf(path)) this.folders.add(folder)
  }

  add(path: string, text: string, ownership: Ownership = { mode: 0o644 }): void {
    this.addFolder(parentOf(path))
    this.files.set(path, { text, ...ownership })
  }

  /** Adds a file of the image, which commands may remove. */
  addOfImage(path: string, text: string): void {
    this.add(path, text)
    this.files.set(path, { text, mode: 0o644, isOfImage: true })
  }

  mount(mount: Mount): void {
    if (!this.files.has(mount.path)) this.addFolder(mount.path)
    this.mounts.push(mount)
    for (const path of this.sharedPaths(mount)) this.addFolder(parentOf(path))
  }

  read(path: string): string | undefined {
    const at = this.resolve(path)
    return at === undefined ? undefined : this.fileAt(at)?.text
  }

  linkAt(path: string): string | undefined {
    return this.fileAt(path)?.link
  }

  stat(given: string): FileStat | undefined {
    const path = this.resolve(given)
    if (path === undefined) return undefined
    const mount = this.mountOf(path)
    const { fileSystem } = mount ?? rootFolder
    const file = this.fileAt(path)
    if (file !== undefined) {
      const { group = 0, mode, user = 0 } = file
      return { isFolder: false, mode, user, group, fileSystem }
    }
    if (!this.folders.has(path)) return undefined
    if (mount === undefined) return path === "/tmp" ? { ...rootFolder, mode: 0o1777 } : rootFolder
    const { group = 0, mode, user = 0 } = mount
    return mount.path === path
      ? { isFolder: true, mode, user, group, fileSystem }
      : { ...rootFolder, group: (mode & 0o2000) === 0 ? 0 : group, fileSystem }
  }

  paths(): Iterable<string> {
    const own = [...this.files.keys(), ...this.written.keys()].filter((path) => this.fileAt(path) !== undefined)
    return [...own, ...this.mounts.flatMap((mount) => this.sharedPaths(mount))]
  }

  write(path: string, text: string, atEnd: boolean, file: NewFile): string | undefined {
    const at = this.resolve(path.startsWith("/") ? path : `/${path}`)
    if (at === undefined) return "Too many levels of symbolic links"
    return this.put(at, atEnd ? (this.read(at) ?? "") + text : text, file)
  }

  link(path: string, target: string, file: NewFile): string | undefined {
    return this.fileAt(path) === undefined ? this.put(path, "", file, target) : "File exists"
  }

  private put(at: string, next: string, file: NewFile, link?: string): string | undefined {
    if (this.folders.has(at)) return "Is a directory"
    const folder = this.stat(parentOf(at))
    if (folder?.isFolder !== true) return "nonexistent directory"
    if (this.mountOf(at)?.isReadOnly ?? (this.isReadOnly && !at.startsWith("/dev/"))) return "Read-only file system"
    const { key, written } = this.placeOf(at)
    let total = next.length - (written.get(key)?.text.length ?? 0)
    let count = 0
    for (const { isRemoved, text } of written.values()) {
      total += text.length
      if (isRemoved !== true) count++
    }
    if (total > MAX_WRITTEN || count >= MAX_FILES) return "No space left on device"
    const group = (folder.mode & 0o2000) === 0 ? file.group : folder.group
    const { mode, user, ...known } = this.fileAt(at) ?? { ...file, group }
    const owned = { mode, user: user ?? 0, group: known.group ?? 0 }
    written.set(key, { ...owned, text: next, ...(link === undefined ? {} : { link }) })
    this.changes++
    return undefined
  }

  remove(path: string): string | undefined {
    const { key, written } = this.placeOf(path)
    const { isOfImage } = this.files.get(path) ?? {}
    if (this.fileAt(path) === undefined) return "No such file or directory"
    if (!written.has(key) && (!isOfImage || this.isReadOnly)) return "Read-only file system"
    if (isOfImage || written.size < MAX_FILES) written.set(key, { ...byRoot, mode: 0, text: "", isRemoved: true })
    else written.delete(key)
    this.changes++
    return undefined
  }

  /** Returns the innermost volume that a path is in. */
  private mountOf(path: string): Mount | undefined {
    let found: Mount | undefined
    for (const mount of this.mounts) {
      const isIn = path === mount.path || path.startsWith(`${mount.path}/`)
      if (isIn && mount.path.length >= (found?.path.length ?? 0)) found = mount
    }
    return found
  }

  private placeOf(path: string): { readonly written: WrittenFiles; readonly key: string } {
    const mount = this.mountOf(path)
    return mount?.kept === undefined
      ? { written: this.written, key: path }
      : { written: mount.kept.files, key: mount.kept.folder + path.slice(mount.path.length) }
  }

  /** Returns what a path leads to: its links are followed; undefined if they go round in a circle. */
  private resolve(path: string): string | undefined {
    let at = path
    for (let links = 0; links < MAX_LINKS; links++) {
      const { link } = this.fileAt(at) ?? {}
      if (link === undefined) return at
      at = link.startsWith("/") ? link : `${parentOf(at).replace(/\/$/, "")}/${link}`
    }
    return undefined
  }

  private fileAt(path: string): KnownFile | undefined {
    const { key, written } = this.placeOf(path)
    const found = written.get(key) ?? this.files.get(path)
    this.hasMissed ||= found === undefined && !this.folders.has(path) && this.mayHave(path)
    return found?.isRemoved ? undefined : found
  }

  /** Whether a file may be there that is not known here: the image may have it, outside of volumes. */
  private mayHave(path: string): boolean {
    const mount = this.mountOf(path)
    return mount === undefined ? !(this.isImageKnown && path.startsWith(EMPTY_FOLDER)) : mount.isUnknown === true
  }

  private sharedPaths(mount: Mount): ReadonlyArray<string> {
    const { kept, path } = mount
    if (kept === undefined) return []
    const { files, folder } = kept
    const all = [...files].filter(([, { isRemoved }]) => isRemoved !== true)
    const keys = all.map(([key]) => key).filter((key) => key === folder || key.startsWith(`${folder}/`))
    return keys.map((key) => path + key.slice(folder.length))
  }
}
