import { accessSync, constants } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { getHeapStatistics } from "node:v8"

const MEBIBYTE = 1024 * 1024
/** Garbage up to this size waits for the first collection: the objects of a cluster live as long as its rehearsal, and marking them is lost time. */
const MOST_INITIAL_MIB = 1024
/** Less than this V8 waits for by itself, at most: src/heap/heap.h, kMaxInitialOldGenerationSize. */
const LEAST_INITIAL_MIB = 512
/** The share of the memory that may hold such garbage, in all threads together. */
const INITIAL_SHARE = 1 / 8
/** 100,000 nodes with 10 pods each take 6.4 GB. */
const MOST_HEAP_MIB = 8192
/** The share that the heap may have of the memory beyond a GiB, which the rest of the process and others need. */
const HEAP_SHARE = 3 / 4
const OTHERS_MIB = 1024

const REHEARSING = ["simulate", "compare", "plan"]
const INITIAL = /^--initial[-_](old[-_]space|heap)[-_]size\b/
const MOST = /^--max[-_](old[-_]space|heap)[-_]size\b/

/** What decides the flags of the heap. */
export interface HeapInput {
  /** The arguments of the program. */
  readonly args: ReadonlyArray<string>
  /** The flags that Node.js has: of its command line, and of NODE_OPTIONS. */
  readonly nodeFlags: ReadonlyArray<string>
  readonly memoryBytes: number
  readonly processors: number
  /** The size at which V8 ends the process by itself. */
  readonly limitBytes: number
}

/**
 * Returns the flags with which Node.js rehearses faster, and larger clusters; none if the command does not rehearse, or has them already. V8
 * reads them only when a process starts. A user's own flags stay.
 */
export const heapFlags = ({ args, limitBytes, memoryBytes, nodeFlags, processors }: HeapInput) => {
  const [command] = args
  if (command === undefined || !REHEARSING.includes(command)) return []
  const threads = command === "compare" ? processors : 1
  const memoryMib = memoryBytes / MEBIBYTE
  const initialMib = Math.floor(Math.min(MOST_INITIAL_MIB, (memoryMib * INITIAL_SHARE) / threads))
  const mostMib = Math.floor(Math.min(MOST_HEAP_MIB, (memoryMib - OTHERS_MIB) * HEAP_SHARE))
  const isSet = (flag: RegExp) => nodeFlags.some((set) => flag.test(set))
  return [
    ...(isSet(INITIAL) || initialMib < LEAST_INITIAL_MIB ? [] : [`--initial-old-space-size=${initialMib}`]),
    ...(isSet(MOST) || mostMib * MEBIBYTE <= limitBytes ? [] : [`--max-old-space-size=${mostMib}`])
  ]
}

/** The memory of this machine, or less if a control group limits it. */
const memoryBytes = (): number => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Returns what decides the flags in this process. */
export const heapInput = (args: ReadonlyArray<string>, nodeFlags: ReadonlyArray<string>): HeapInput => ({
  args,
  nodeFlags,
  memoryBytes: memoryBytes(),
  processors: availableParallelism(),
  limitBytes: getHeapStatistics().heap_size_limit
})

/**
 * Starts the program once more in this process, with `heapFlags`, if there are any; it then does not return. It returns on systems without
 * execve, and in an executable of one file, which takes no flags of Node.js.
 */
export const restartWithHeap = (environment: NodeJS.ProcessEnv): void => {
  if (process.execve === undefined || process.getBuiltinModule("node:sea").isSea()) return
  const nodeFlags = [...process.execArgv, ...(environment.NODE_OPTIONS ?? "").split(/\s+/)]
  const flags = heapFlags(heapInput(process.argv.slice(2), nodeFlags))
  if (flags.length === 0) return
  const words = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]
  try {
    // Where the system call itself fails, Node.js ends the process.
    accessSync(process.execPath, constants.X_OK)
    process.execve(process.execPath, words, environment)
  } catch {
    // It is gone, or may start no program here: with --permission. The rehearsal runs as it is, a little slower.
  }
}
