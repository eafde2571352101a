/** Values of variables. One without a value is set, but not known here. */
export type Environment = ReadonlyMap<string, string | undefined>

export type FileSystem = "ext4" | "overlay" | "tmpfs"

/** What is known of a file or a folder beside its content. */
export interface FileStat {
  readonly isFolder: boolean
  /** The permissions, with the bits of setgid (02000) and sticky (01000). */
  readonly mode: number
  readonly user: number
  readonly group: number
  readonly fileSystem: FileSystem
}

/** A file that does not exist yet, as it is to be written. */
export type NewFile = Pick<FileStat, "group" | "mode" | "user">

/** The files of a container by their absolute path. Folders are those that files or volumes are in. */
export interface ShellFiles {
  readonly folders: ReadonlySet<string>
  readonly read: (path: string) => string | undefined
  readonly stat: (path: string) => FileStat | undefined
  /** Writes a file, at its end or anew. Returns what is wrong if it cannot. */
  readonly write: (path: string, text: string, atEnd: boolean, file: NewFile) => string | undefined
  /** Makes a symbolic link. Returns what is wrong if it cannot. */
  readonly link: (path: string, target: string, file: NewFile) => string | undefined
  /** Returns what a symbolic link names; undefined for anything else. */
  readonly linkAt: (path: string) => string | undefined
  /** Removes a file that a command has written. Returns what is wrong if it cannot. */
  readonly remove: (path: string) => string | undefined
  readonly paths: () => Iterable<string>
}

/** What a modelled container knows of itself. */
export interface ShellWorld {
  readonly hostname: string
  /** When the run began, by the clock of the machine. */
  readonly startMs: number
  readonly files: ShellFiles
  readonly user: number
  readonly group: number
  /** Its groups beside the first one. */
  readonly groups: ReadonlyArray<number>
  /** Whether a terminal is attached, so that a shell prompts and repeats what is typed. */
  readonly hasTerminal: boolean
  /** Whether its shells but `bash` are known to make no words of braces. Absent if they may. */
  readonly keepsBraces?: boolean
  /** Returns the next random number, in [0, 1): the same ones for each reader of the run. Absent if they are not known. */
  readonly random?: () => number
}

/** What a run has used so far. */
export interface RunClock {
  elapsedMs: number
  /** Set by an interrupt from the terminal: the running command ends, and what follows it in its list. */
  isInterrupted?: boolean
}

/** The exit status of an interrupted command. */
export const INTERRUPTED = 130

/**
 * One step of a run: output, whose text is undefined if it is not known, output of the first process of the container, a pause, a
 * turn of a loop, or a wait for a line of the input.
 */
export type RunStep =
  | { readonly kind: "output"; readonly stream: 1 | 2; readonly text: string | undefined }
  | { readonly kind: "log"; readonly stream: 1 | 2; readonly text: string }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "turn" }
  | { readonly kind: "read" }

/** A run gets the next line of its input for a `read`, and undefined at its end; it returns its exit status. */
export type Run<A> = Generator<RunStep, A, string | undefined>

/** Returns how a program of a container writes a new file. */
export const newFileOf = ({ group, user }: ShellWorld, mode = 0o644): NewFile => ({ mode, user, group })
