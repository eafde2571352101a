import type { ShellFiles } from "../../runtime/command/ShellWorld.ts"

/** What commands may write into the files of one container. */
const MAX_WRITTEN = 64 * 1024
const MAX_FILES = 100

/** Returns the folders that a path is in, and the path itself. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").filter((part) => part !== "")
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)]
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** The files of a modelled container: those of its volumes, and what its commands have written. */
export class ContainerFiles implements ShellFiles {
  readonly folders = new Set<string>()
  private readonly files = new Map<string, string>()
  private readonly readOnly = new Set<string>()
  /** What commands have written, which outlives each of them. */
  private readonly written: Map<string, string>

  constructor(written: Map<string, string>) {
    this.written = written
    for (const path of written.keys()) this.addFolder(parentOf(path), false)
    for (const path of ["/etc", "/tmp", "/proc", "/dev"]) this.addFolder(path, false)
  }

  addFolder(path: string, isReadOnly: boolean): void {
    for (const folder of foldersOf(path)) this.folders.add(folder)
    if (isReadOnly) this.readOnly.add(path)
  }

  add(path: string, text: string): void {
    this.addFolder(parentOf(path), false)
    this.files.set(path, text)
  }

  read(path: string): string | undefined {
    return this.written.get(path) ?? this.files.get(path)
  }

  paths(): Iterable<string> {
    return [...this.files.keys(), ...this.written.keys()]
  }

  write(path: string, text: string, atEnd: boolean): string | undefined {
    const at = path.startsWith("/") ? path : `/${path}`
    if (this.folders.has(at)) return "Is a directory"
    if (!this.folders.has(parentOf(at))) return "nonexistent directory"
    if (foldersOf(at).some((folder) => this.readOnly.has(folder))) return "Read-only file system"
    const { written } = this
    const next = atEnd ? (this.read(at) ?? "") + text : text
    let total = next.length - (written.get(at)?.length ?? 0)
    for (const known of written.values()) total += known.length
    if (total > MAX_WRITTEN || written.size >= MAX_FILES) return "No space left on device"
    written.set(at, next)
    return undefined
  }
}
